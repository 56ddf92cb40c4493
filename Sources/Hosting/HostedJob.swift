public import JobModel

/// A job as a host tells its services about it: without its payload.
public struct HostedJob: Hashable, Sendable, Identifiable {
  /// The job's id: the same for all its attempts.
  public var id: JobID
  /// The job's kind.
  public var kind: JobKind
  /// The department that serves the job.
  public var department: Department
  /// The number of the attempt, from 1; nil: the host does not say.
  public var attempt: Int?

  /// A job, for a test that calls a service.
  public init(id: JobID = JobID(), kind: JobKind, department: Department, attempt: Int? = nil) {
    self.id = id
    self.kind = kind
    self.department = department
    self.attempt = attempt
  }
}

/// The end of an attempt, or of a job, as a host tells its services about it.
public struct HostedJobEnd: Hashable, Sendable {
  /// The result, as a word.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    /// The handler returned.
    case succeeded
    /// The handler threw an error, or the job has failed.
    case failed
    /// The job runs again later, and no attempt is used up. Never told by a coordinator.
    case snoozed
    /// There was nothing to be done any more. Told by a worker; a coordinator tells that the job was cancelled.
    case discarded
    /// The attempt failed after its time limit. Told by a worker; a coordinator tells that the job has failed.
    case timeout
    /// The attempt was stopped because its job has ended, or because the worker was closed; or the job was cancelled.
    case cancelled
  }

  /// The job.
  public var job: HostedJob
  /// The result.
  public var result: Result
  /// Why it did not succeed; nil: it did, or the host does not say.
  public var failure: JobFailure?
  /// How long the handler ran, by the clock of its worker; nil: it did not run, or the host does not say.
  public var ran: Duration?

  /// An end, for a test that calls a service.
  public init(_ job: HostedJob, _ result: Result, failure: JobFailure? = nil, ran: Duration? = nil) {
    self.job = job
    self.result = result
    self.failure = failure
    self.ran = ran
  }
}
