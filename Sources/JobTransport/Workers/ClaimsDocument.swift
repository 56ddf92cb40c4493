import JobModel

/// The body of claims of one worker and one ledger.
struct ClaimsDocument: Codable {
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

  /// - Throws: `Unreadable` for a wrong id, for a number that no ledger gives, and for none or too many claims.
  func values() throws(Unreadable) -> [ClaimRequest] {
    for id in [worker.text, ledger.text] where !Envelope.isIdentifier(id) {
      throw Unreadable("\(Excerpt.quoted(id)) is no id")
    }
    guard (1...ClaimRequest.batchLimit).contains(claims.count) else {
      throw Unreadable("\(claims.count) claims are not between 1 and \(ClaimRequest.batchLimit)")
    }
    if claims.contains(where: { $0.claim < 0 }) { throw Unreadable("a claim is negative") }
    if let claim = claims.first(where: { !Envelope.isGiven($0.release) }) {
      throw Unreadable("release \(claim.release) is not between 0 and \(JobProgress.highestNumber)")
    }
    return claims.map { claim in
      ClaimRequest(
        release: ReleaseID(job: claim.job, number: claim.release), ledger: ledger, worker: worker, number: claim.claim,
        // A number out of range is none: the claims count all the same.
        attempts: claim.attempts.flatMap { Submission.attemptLimits.contains($0) ? $0 : nil })
    }
  }
}
