import JobModel

/// The body of claims of one worker and one ledger, as it is written.
struct ClaimsDocument: Encodable {
  struct Claim: Codable {
    var job: JobID
    var release: Int
    var claim: Int
    /// Nil: the worker's handler does not say.
    var attempts: Int?
  }

  var worker: WorkerID
  var ledger: LedgerID
  var claims: [Claim]

  init(worker: WorkerID, ledger: LedgerID, _ claims: some Sequence<ClaimRequest>) {
    self.worker = worker
    self.ledger = ledger
    self.claims = claims.map {
      Claim(job: $0.release.job, release: $0.release.number, claim: $0.number, attempts: $0.attempts)
    }
  }
}

/// The body of claims as it is read: one claim that cannot be read does not take the others with it.
struct ReadClaims: Decodable {
  let worker: WorkerID
  private let ledger: LedgerID
  private let claims: [ReadClaim]

  private struct ReadClaim: Decodable {
    let claim: Result<ClaimsDocument.Claim, Unreadable>

    init(from decoder: any Decoder) {
      do {
        claim = .success(try ClaimsDocument.Claim(from: decoder))
      } catch {
        claim = .failure(WireJSON.unreadable(error))
      }
    }
  }

  /// The claims that can be read, and what is wrong with the first one of the others; nil: nothing.
  ///
  /// - Throws: `Unreadable` for a wrong id of worker or ledger, and for none or too many claims.
  func values() throws(Unreadable) -> (claims: [ClaimRequest], flaw: String?) {
    for id in [worker.text, ledger.text] where !Envelope.isIdentifier(id) {
      throw Unreadable("\(Excerpt.quoted(id)) is no id")
    }
    guard (1...ClaimRequest.batchLimit).contains(claims.count) else {
      throw Unreadable("\(claims.count) claims are not between 1 and \(ClaimRequest.batchLimit)")
    }
    var (read, flaw): ([ClaimRequest], String?) = ([], nil)
    for claim in claims {
      do throws(Unreadable) {
        read.append(try request(try claim.claim.get()))
      } catch {
        flaw = flaw ?? error.reason
      }
    }
    return (read, flaw)
  }

  /// - Throws: `Unreadable` for a number that no ledger gives.
  private func request(_ claim: ClaimsDocument.Claim) throws(Unreadable) -> ClaimRequest {
    if claim.claim < 0 { throw Unreadable("a claim is negative") }
    guard Envelope.isGiven(claim.release) else {
      throw Unreadable("release \(claim.release) is not between 0 and \(JobProgress.highestNumber)")
    }
    return ClaimRequest(
      release: ReleaseID(job: claim.job, number: claim.release), ledger: ledger, worker: worker, number: claim.claim,
      // A number out of range is none: the claims count all the same.
      attempts: claim.attempts.flatMap { Submission.attemptLimits.contains($0) ? $0 : nil })
  }
}
