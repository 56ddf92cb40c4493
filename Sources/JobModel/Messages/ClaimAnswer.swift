/// The answer to one claim of a worker.
package struct ClaimAnswer: Hashable, Sendable {
  package var release: ReleaseID
  /// The worker's number for the claim.
  package var claim: Int
  package var verdict: Verdict
  /// The last number of a probe or a fence when it was decided; nil: an earlier version has decided. An answer of a
  /// coordinator that has died since may come behind the probe of the next one, and says nothing then.
  package var number: Int?

  package init(release: ReleaseID, claim: Int, verdict: Verdict, number: Int? = nil) {
    self.release = release
    self.claim = claim
    self.verdict = verdict
    self.number = number
  }
}

/// The answer to a claim.
package enum Verdict: Hashable, Sendable {
  /// Run it, as this attempt, with this token.
  case run(token: Int, attempt: Int)
  /// Another worker runs it: ack and forget.
  case elsewhere
  /// It is not the job's current release, or the job has ended: ack and forget.
  case drop
}

/// In JSON an object without further ones: `token` and `attempt` stand beside the verdict `run`.
extension ClaimAnswer: Codable {
  private enum CodingKeys: String, CodingKey {
    case claim, number, verdict, token, attempt
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    release = try ReleaseID(from: decoder)
    claim = try members.decode(Int.self, forKey: .claim)
    number = try members.decodeIfPresent(Int.self, forKey: .number)
    switch try members.decode(String.self, forKey: .verdict) {
    case "run":
      verdict = .run(
        token: try members.decode(Int.self, forKey: .token), attempt: try members.decode(Int.self, forKey: .attempt))
    case "elsewhere": verdict = .elsewhere
    case "drop": verdict = .drop
    case let other:
      throw DecodingError.dataCorruptedError(
        forKey: .verdict, in: members,
        debugDescription: "\(String(other.prefix(64)).debugDescription) is not known here")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    try release.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(claim, forKey: .claim)
    try members.encodeIfPresent(number, forKey: .number)
    switch verdict {
    case .run(let token, let attempt):
      try members.encode("run", forKey: .verdict)
      try members.encode(token, forKey: .token)
      try members.encode(attempt, forKey: .attempt)
    case .elsewhere: try members.encode("elsewhere", forKey: .verdict)
    case .drop: try members.encode("drop", forKey: .verdict)
    }
  }
}
