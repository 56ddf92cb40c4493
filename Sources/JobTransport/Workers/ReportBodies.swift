import JobModel

/// The body of a snooze.
struct SnoozeDocument: Codable {
  var forMs: Int64

  enum CodingKeys: String, CodingKey {
    case forMs = "for_ms"
  }

  /// Within its limits: a worker may send any number.
  var time: Duration { SnoozeLimits.within(.milliseconds(forMs)) }
}

/// A failure as JSON with what its handler says of the next attempt:
/// `{"error", "message", "attempts", "retry_ms", "not_before_ms", "pause"}`.
struct HintedFailure: Codable {
  private var error: String
  private var message: String
  private var attempts: Int?
  private var retryMs: Int64?
  private var notBeforeMs: Int64?
  private var pause: Bool?

  enum CodingKeys: String, CodingKey {
    case error, message, attempts, pause
    case retryMs = "retry_ms"
    case notBeforeMs = "not_before_ms"
  }

  static func encode(_ failure: JobFailure, _ hint: RetryHint?) -> [UInt8] {
    guard let hint else { return FailureBody.encode(failure) }
    return WireJSON.encodePlain(
      HintedFailure(
        error: failure.code, message: failure.message, attempts: hint.attempts, retryMs: hint.wait?.milliseconds,
        notBeforeMs: hint.atLeast?.milliseconds, pause: hint.pausesDepartment ? true : nil))
  }

  /// What a failure says of the next attempt; nil: nothing. What is no number, or out of range, is none: the report counts all the same.
  static func hint(_ bytes: [UInt8]) -> RetryHint? {
    guard let body = try? WireJSON.decode(HintedFailure.self, from: bytes) else { return nil }
    let attempts = body.attempts.flatMap { Submission.attemptLimits.contains($0) ? $0 : nil }
    let hint = RetryHint(
      attempts: attempts, wait: body.retryMs.map(wait), atLeast: body.notBeforeMs.map(wait),
      pausesDepartment: body.pause == true)
    return hint == RetryHint() ? nil : hint
  }

  private static func wait(_ milliseconds: Int64) -> Duration {
    min(max(.zero, .milliseconds(milliseconds)), RetryHint.longestWait)
  }
}
