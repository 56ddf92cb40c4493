public import JobModel

/// How the jobs of a handler are tried, unless their submission or the coordinator's `teller.yaml` says otherwise.
///
///     static let policy = HandlerPolicy(attempts: 5, retry: RetrySettings(first: .seconds(30)), timeout: .seconds(60))
///
/// | setting | the first of these that says it |
/// |---|---|
/// | attempts | the submission · `kinds:` in the coordinator's file · the handler · three |
/// | wait between attempts | `kinds:` in the coordinator's file · the handler · the default of ``RetrySettings`` |
/// | time limit | the submission · `kinds:` in the coordinator's file · the handler · none |
///
/// The coordinator learns a handler's policy when a worker claims a job or reports a failure. The first worker that does
/// settles how many attempts the job has.
public struct HandlerPolicy: Hashable, Sendable {
  /// How often a job is tried, 1–100; 1: at most once. Nil: the handler does not say.
  public var attempts: Int?
  /// How long a job waits between two attempts; nil: the handler does not say.
  public var retry: RetrySettings?
  /// How long one attempt may run, up to a week; nil: the handler does not say.
  public var timeout: Duration?

  /// The given settings. A worker refuses those out of range: see ``WorkerError/policyOutOfRange(_:_:)``.
  public init(attempts: Int? = nil, retry: RetrySettings? = nil, timeout: Duration? = nil) {
    self.attempts = attempts
    self.retry = retry
    self.timeout = timeout
  }
}

extension HandlerPolicy {
  /// What is out of range, for people; nil: nothing.
  var problem: String? {
    if let attempts, !Submission.attemptLimits.contains(attempts) {
      return "attempts: \(attempts) is not \(Submission.attemptLimits.written)"
    }
    if let timeout, !Submission.timeoutLimits.contains(timeout) {
      return "timeout: \(timeout) is not between a millisecond and a week"
    }
    if let retry, retry.first < .zero || retry.longest > RetryHint.longestWait || retry.longest < retry.first {
      return "retry: the waits from \(retry.first) to \(retry.longest) are not between 0 and 30 days"
    }
    if let retry, !(1...100).contains(retry.factor) { return "retry: the factor \(retry.factor) is not 1–100" }
    if let retry, !(0...1).contains(retry.jitter) { return "retry: the jitter \(retry.jitter) is not between 0 and 1" }
    return nil
  }

  /// The policy as a worker tells it the coordinator with a failed attempt; nil: there is nothing to tell. `random`: 0...1.
  package func hint(afterAttempt attempt: Int, random: Double) -> RetryHint? {
    if attempts == nil, retry == nil { return nil }
    let wait = retry?.delay(afterAttempt: attempt, random: random)
    return RetryHint(attempts: attempts, wait: wait)
  }
}
