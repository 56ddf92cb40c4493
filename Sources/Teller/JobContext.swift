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
  /// What the submitter sent.
  public let payload: Payload
  /// A logger that says with every line which job and which attempt it is about.
  public let logger: Logger

  /// A context of one's own, to call a handler from a test.
  public init(
    id: JobID = JobID(), attempt: Int = 1, maxAttempts: Int = 1, kind: JobKind, department: Department,
    priority: Priority = .normal, payload: Payload, logger: Logger = Logger(label: "teller.handler")
  ) {
    self.id = id
    self.attempt = attempt
    self.maxAttempts = maxAttempts
    self.kind = kind
    self.department = department
    self.priority = priority
    self.payload = payload
    self.logger = logger
  }
}
