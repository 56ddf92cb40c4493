public import JobModel
public import Logging

/// What a handler is told about the attempt it is to run.
public struct JobContext<Payload: Sendable>: Sendable {
  /// The job's id: the same over all its attempts.
  public let id: JobID
  /// Which attempt this is, from 1.
  public let attempt: Int
  /// How many attempts the job has.
  public let maxAttempts: Int
  /// The kind it was submitted as.
  public let kind: JobKind
  /// The department that serves it.
  public let department: Department
  /// How urgent it was.
  public let priority: Priority
  /// When the attempt's time limit will have passed and the handler's task is cancelled; nil: it may take as long as it
  /// takes. See ``JobHandler/run(context:)``.
  public let deadline: ContinuousClock.Instant?
  /// What the submitter sent.
  public let payload: Payload
  private let given: Logger
  /// Whether the logger is still to be told of the job: few handlers log, and the words cost more than running them.
  private let isWorkers: Bool

  /// A context of one's own, to call a handler from a test.
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
    isWorkers = false
  }

  init(_ attempt: RunningAttempt, payload: Payload) {
    let assignment = attempt.assignment
    id = assignment.job
    self.attempt = assignment.attempt
    maxAttempts = assignment.maxAttempts
    kind = assignment.kind
    department = assignment.department
    priority = assignment.priority
    deadline = attempt.deadline
    self.payload = payload
    given = attempt.logger
    isWorkers = true
  }

  /// A logger that says with every line which job and which attempt it is about. Made when it is asked for: who logs a
  /// lot keeps it.
  public var logger: Logger {
    guard isWorkers else { return given }
    var logger = given
    logger[metadataKey: "job"] = "\(id)"
    logger[metadataKey: "kind"] = "\(kind)"
    logger[metadataKey: "attempt"] = "\(attempt)"
    return logger
  }
}
