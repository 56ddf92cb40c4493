import JobModel

/// The body of a snooze.
struct SnoozeDocument: Codable {
  var forMs: Int64

  enum CodingKeys: String, CodingKey {
    case forMs = "for_ms"
  }

  /// Within its limits: a worker may send any number.
  var time: Duration { min(max(.zero, .milliseconds(forMs)), SnoozeLimits.longest) }
}

/// A failure as JSON with the policy of its handler: `{"error", "message", "attempts", "retry_ms"}`.
struct HintedFailure: Codable {
  private var error: String
  private var message: String
  private var attempts: Int?
  private var retryMs: Int64?

  enum CodingKeys: String, CodingKey {
    case error, message, attempts
    case retryMs = "retry_ms"
  }

  static func encode(_ failure: JobFailure, _ hint: RetryHint?) -> [UInt8] {
    guard let hint else { return FailureBody.encode(failure) }
    return WireJSON.encodePlain(
      HintedFailure(
        error: failure.code, message: failure.message, attempts: hint.attempts, retryMs: hint.wait?.milliseconds))
  }

  /// The policy of a failure; nil: none. What is no number, or out of range, is none: the report counts all the same.
  static func hint(_ bytes: [UInt8]) -> RetryHint? {
    guard let body = try? WireJSON.decode(HintedFailure.self, from: bytes) else { return nil }
    let attempts = body.attempts.flatMap { Submission.attemptLimits.contains($0) ? $0 : nil }
    let wait = body.retryMs.map { min(max(.zero, .milliseconds($0)), RetryHint.longestWait) }
    return attempts == nil && wait == nil ? nil : RetryHint(attempts: attempts, wait: wait)
  }
}
