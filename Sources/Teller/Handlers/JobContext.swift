public import JobModel
public import Logging

/// The attempt that a handler is to run.
public struct JobContext<Payload: Sendable>: Sendable {
  /// The job's id: the same for all its attempts.
  public let id: JobID
  /// Which attempt this is, from 1.
  public let attempt: Int
  /// How many attempts the job has.
  public let maxAttempts: Int
  /// The job's kind.
  public let kind: JobKind
  /// The department that serves the job.
  public let department: Department
  /// How urgent the job is.
  public let priority: Priority
  /// When the attempt's time limit ends and its task is cancelled; nil: no limit. See ``JobHandler/run(context:)``.
  public let deadline: ContinuousClock.Instant?
  /// The submitter's payload.
  public let payload: Payload
  private let given: Logger
  /// Whether `given` is the worker's logger, without the job's metadata. The metadata is added by ``logger``: few handlers
  /// log, and to make it costs more than to run a short handler.
  private var isWorkers = false

  /// A context for a test that calls a handler.
  public init(
    id: JobID = JobID(), attempt: Int = 1, maxAttempts: Int = 1, kind: JobKind, department: Department,
    priority: Priority = .normal, deadline: ContinuousClock.Instant? = nil, payload: Payload,
    logger: Logger = Logger(label: "teller.handler")
  ) {
    self.id = id
    self.attempt = attempt
    self.maxAttempts = maxAttempts
    self.kind = kind
    self.department = department
    self.priority = priority
    self.deadline = deadline
    self.payload = payload
    given = logger
  }

  init(_ attempt: RunningAttempt, payload: Payload) {
    let assignment = attempt.assignment
    self.init(
      id: assignment.job, attempt: assignment.attempt, maxAttempts: assignment.maxAttempts, kind: assignment.kind,
      department: assignment.department, priority: assignment.priority, deadline: attempt.deadline, payload: payload,
      logger: attempt.logger)
    isWorkers = true
  }

  /// A logger with the job's id, kind and attempt as metadata. It is made at each call: keep it to log many lines.
  public var logger: Logger {
    guard isWorkers else { return given }
    var logger = given
    logger[metadataKey: "job"] = "\(id)"
    logger[metadataKey: "kind"] = "\(kind)"
    logger[metadataKey: "attempt"] = "\(attempt)"
    return logger
  }
}
