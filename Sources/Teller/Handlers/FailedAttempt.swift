public import JobModel

/// An attempt that has failed, for ``Worker/onFailure(_:)``.
public struct FailedAttempt: Sendable {
  /// The attempt.
  public let job: JobInfo
  /// The error that the handler threw, also when it threw it after its time limit.
  public let error: any Error
  /// The failure as it is reported to the coordinator.
  public let failure: JobFailure
  /// After about how long the job is tried again; nil: the job has failed, this was its last attempt.
  public let again: Duration?
}
