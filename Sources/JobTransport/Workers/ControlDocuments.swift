import JobModel

/// The body of a welcome.
struct WelcomeDocument: Codable {
  var ledger: LedgerID
  var epoch: Int
  var session: Int
  var departments: [Department]
  var unknown: [String]
  /// Nil: the worker is not refused.
  var refused: JobFailure?
  var staffing: StaffingDocument
  var void: [ReleaseDocument]
  /// By kind; nil: none.
  var retries: [String: RetryDocument]?

  init(_ welcome: Welcome) {
    ledger = welcome.ledger
    epoch = welcome.epoch
    session = welcome.session
    departments = welcome.departments
    unknown = welcome.unknown
    refused = welcome.refusal
    staffing = StaffingDocument(welcome.staffing)
    void = [ReleaseDocument](welcome.void, ended: welcome.ended)
    let named = welcome.retries.map { ($0.key.name, RetryDocument($0.value)) }
    retries = named.isEmpty ? nil : Dictionary(uniqueKeysWithValues: named)
  }

  func value() throws(Unreadable) -> Welcome {
    Welcome(
      ledger: ledger, epoch: epoch, session: session, departments: departments, unknown: unknown, refusal: refused,
      staffing: try staffing.value(), void: void.values, ended: void.ended,
      retries: (retries ?? [:]).reduce(into: [:]) { retries, entry in
        if let kind = JobKind(entry.key) { retries[kind] = entry.value.value }
      })
  }
}

/// How long jobs of a kind wait between attempts.
struct RetryDocument: Codable {
  var firstMs: Int64
  var factorPermille: Int
  var longestMs: Int64
  var jitterPermille: Int

  enum CodingKeys: String, CodingKey {
    case firstMs = "first_ms"
    case factorPermille = "factor_permille"
    case longestMs = "max_ms"
    case jitterPermille = "jitter_permille"
  }

  init(_ retry: RetrySettings) {
    (firstMs, longestMs) = (retry.first.milliseconds, retry.longest.milliseconds)
    factorPermille = Int((retry.factor * 1_000).rounded())
    jitterPermille = Int((retry.jitter * 1_000).rounded())
  }

  var value: RetrySettings {
    RetrySettings(
      first: .milliseconds(firstMs), factor: Double(factorPermille) / 1_000, longest: .milliseconds(longestMs),
      jitter: Double(jitterPermille) / 1_000)
  }
}

/// The body of a staffing, and a part of a welcome.
struct StaffingDocument: Codable {
  var tellers: [String: Int]
  var paused: [String]
  /// By department and kind; nil: none.
  var beside: [String: [String: Int]]?

  init(_ staffing: Staffing) {
    tellers = staffing.tellers
    paused = staffing.paused
    beside = SharesDocument.document(of: staffing.beside)
  }

  /// - Throws: `Unreadable` for numbers that cannot be a prefetch.
  func value() throws(Unreadable) -> Staffing {
    try PresenceCodec.check(tellers)
    return Staffing(tellers: tellers, paused: paused, beside: try SharesDocument.shares(beside))
  }
}

/// How many tellers serve the queues of kinds, in the JSON of a staffing and of a presence.
enum SharesDocument {
  /// Nil: none, which is the usual case.
  static func document(of shares: [String: [JobKind: Int]]) -> [String: [String: Int]]? {
    let document = shares.mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key.name, $0.value) }) }
    return document.isEmpty ? nil : document
  }

  static func shares(_ document: [String: [String: Int]]?) throws(Unreadable) -> [String: [JobKind: Int]] {
    var shares: [String: [JobKind: Int]] = [:]
    for (department, kinds) in document ?? [:] {
      try PresenceCodec.check(kinds)
      for (name, tellers) in kinds {
        guard let kind = JobKind(name) else { throw Unreadable("\(Excerpt.quoted(name)) is not a kind") }
        shares[department, default: [:]][kind] = tellers
      }
    }
    return shares
  }
}

/// The body of a probe.
struct ProbeDocument: Codable {
  var number: Int
}

/// The body of a void.
struct VoidDocument: Codable {
  var void: [ReleaseDocument]
  var forgotten: [ReleaseDocument]

  init(_ change: VoidChange) {
    void = [ReleaseDocument](change.void, ended: change.ended)
    forgotten = [ReleaseDocument](change.forgotten)
  }

  var value: VoidChange { VoidChange(void: void.values, ended: void.ended, forgotten: forgotten.values) }
}

/// The body of an adopted.
struct AdoptedDocument: Codable {
  var releases: [ReleaseDocument]
}

/// The body of answers to claims.
struct AnswersDocument: Codable {
  var answers: [ClaimAnswerDocument]
}

/// One answer to a claim.
struct ClaimAnswerDocument: Codable {
  var job: JobID
  var release: Int
  var claim: Int
  /// `run`, `elsewhere` or `drop`.
  var verdict: String
  /// With `run` only.
  var token: Int?
  /// With `run` only.
  var attempt: Int?
  /// The last number of a probe or a fence at the decision.
  var number: Int?

  init(_ answer: ClaimAnswer) {
    job = answer.release.job
    release = answer.release.number
    claim = answer.claim
    number = answer.number
    switch answer.verdict {
    case .run(let token, let attempt):
      verdict = "run"
      self.token = token
      self.attempt = attempt
    case .elsewhere: verdict = "elsewhere"
    case .drop: verdict = "drop"
    }
  }

  func value() throws(Unreadable) -> ClaimAnswer {
    ClaimAnswer(
      release: ReleaseID(job: job, number: release), claim: claim, verdict: try readVerdict(), number: number)
  }

  private func readVerdict() throws(Unreadable) -> Verdict {
    switch verdict {
    case "run":
      guard let token, let attempt else { throw Unreadable("verdict run without token and attempt") }
      return .run(token: token, attempt: attempt)
    case "elsewhere": return .elsewhere
    case "drop": return .drop
    default: throw Unreadable("verdict \(Excerpt.quoted(verdict)) is not known here")
    }
  }
}
