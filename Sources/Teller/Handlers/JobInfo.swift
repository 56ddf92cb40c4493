public import JobModel
public import Logging

/// One attempt of a job, without its payload: what a middleware, a hook and a log know of it.
public struct JobInfo: Hashable, Sendable {
  /// The job's id: the same for all its attempts.
  public var id: JobID
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// How many attempts the job has.
  public var maxAttempts: Int
  /// The job's kind.
  public var kind: JobKind
  /// The department that serves the job.
  public var department: Department
  /// How urgent the job is.
  public var priority: Priority
  /// When the attempt's time limit ends and its task is cancelled; nil: no limit. See ``JobHandler/run(context:)``.
  public var deadline: ContinuousClock.Instant?
  /// The job's place in a plan; nil: it is of no plan.
  public var step: StepInfo?
  /// The content type of the payload, as its submitter named it.
  public var contentType: String?
  /// The submitter's own headers, and those of its trace (`traceparent`, `tracestate`). See ``JobSubmission/headers``.
  public var headers: [String: String]

  /// An attempt, for a test that calls a middleware or a handler.
  public init(
    id: JobID = JobID(), attempt: Int = 1, maxAttempts: Int = 1, kind: JobKind, department: Department,
    priority: Priority = .normal, deadline: ContinuousClock.Instant? = nil, step: StepInfo? = nil,
    contentType: String? = "application/json", headers: [String: String] = [:]
  ) {
    self.id = id
    self.attempt = attempt
    self.maxAttempts = maxAttempts
    self.kind = kind
    self.department = department
    self.priority = priority
    self.deadline = deadline
    self.step = step
    self.contentType = contentType
    self.headers = headers
  }

  /// The attempt that the present task runs; nil outside of handlers, middlewares and hooks. Child tasks have it, too; a
  /// detached task has not.
  @TaskLocal public static var current: JobInfo?
}

extension JobInfo {
  init(_ assignment: Assignment, maxAttempts: Int, deadline: ContinuousClock.Instant?) {
    self.init(
      id: assignment.job, attempt: assignment.attempt, maxAttempts: maxAttempts, kind: assignment.kind,
      department: assignment.department, priority: assignment.priority, deadline: deadline, step: assignment.step,
      contentType: assignment.content.contentType, headers: assignment.content.allHeaders)
  }

  /// The trace that the job belongs to, by its W3C `traceparent`; nil: none.
  public var traceID: String? {
    // `version-trace-parent-flags`: https://www.w3.org/TR/trace-context/#traceparent-header
    guard let words = headers[JobInfo.traceparent]?.split(separator: "-", omittingEmptySubsequences: false),
      words.count >= 4
    else { return nil }
    return String(words[1])
  }

  private static let traceparent = "traceparent"

  /// The job's id, kind and attempt, its step and its trace if there are any, as metadata of a log line.
  public var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["job": "\(id)", "kind": "\(kind)", "attempt": "\(attempt)"]
    if let step { metadata["step"] = "\(step.name)" }
    if let traceID { metadata["trace"] = "\(traceID)" }
    return metadata
  }
}

extension Logger.MetadataProvider {
  /// Adds ``JobInfo/metadata`` to each line that a handler logs, with whatever logger; nothing outside of a handler.
  ///
  ///     BufferedLog.bootstrap(metadataProvider: .tellerJob)
  public static let tellerJob = Logger.MetadataProvider { JobInfo.current?.metadata ?? [:] }
}
