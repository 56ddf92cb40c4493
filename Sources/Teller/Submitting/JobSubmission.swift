public import Foundation
public import JobModel
import JobTransport

/// A job to be submitted, and what is expected of it.
///
/// It keeps its id: submitted twice it is still one job.
public struct JobSubmission<Output: Decodable & Sendable>: Sendable {
  /// The job's id.
  public var id: JobID
  /// Which handler runs it.
  public var kind: JobKind
  /// Where it is served; nil: as the coordinator's `teller.yaml` says of its kind, else the department of the kind's
  /// name.
  public var department: Department?
  /// How urgent it is.
  public var priority: Priority
  /// How often it is tried; nil: as the coordinator's `teller.yaml` says, else three times. 1: at most once.
  public var attempts: Int?
  /// Its place within the open plan of an ordered department; nil: behind the plan.
  public var rank: Int?
  /// The payload as it is sent.
  public var payload: [UInt8]
  /// What kind of bytes the payload is.
  public var contentType: String?
  /// How long after its acceptance it is held at least, at most ten years; nil: not at all. Not beside `runAt`.
  public var delay: Duration?
  /// It is held until then, by the coordinator's clock; a moment that has passed holds nothing. Not beside `delay`.
  public var runAt: Date?
  /// How long after its acceptance, or after the time until which it is held, an attempt must have begun; else the job
  /// fails with `too_late` and is not run. Not beside `startBy`.
  public var startWithin: Duration?
  /// By when an attempt must have begun, by the coordinator's clock at the acceptance: a clock that is set later changes
  /// nothing. Not beside `startWithin`.
  public var startBy: Date?
  /// How long one attempt may run, up to a week: then the handler's task is cancelled; an attempt that fails so fails
  /// with `timeout`, and is tried again like any other. Nil: as the coordinator's `teller.yaml` says, else as long as it
  /// takes.
  public var timeout: Duration?
  /// The jobs that must have succeeded before it is released, at most 100. They may be submitted after this one, within
  /// ten minutes.
  public var after: [JobID] = []
  /// What becomes of it when one of `after` fails or is cancelled.
  public var afterFailed: DependencyRule = .fail
  /// Makes the job one-shot: while the key is taken, another submission of this kind with the same key runs nothing and
  /// gets this one's outcome. 1–200 bytes.
  public var key: String?
  /// How long after its acceptance the key stays taken, in whole seconds; never less than until the job has ended. Nil:
  /// a day. Only with `key`.
  public var keyWindow: Duration?
  /// What the coordinator is to tell of the job by itself.
  public var replies: Replies = .outcome

  /// What the coordinator tells by itself. Whatever is not told is asked for when somebody waits for it, which takes
  /// some seconds.
  public enum Replies: Hashable, Sendable {
    /// Whether it is accepted, and how it ends.
    case outcome
    /// Whether it is accepted.
    case acceptance
    /// Nothing: the least work for the broker. A submission that cannot be accepted is put into `teller.rejected`.
    case none
  }

  /// A job of a kind that is known only at run time, or whose payload is no JSON.
  public init(
    kind: JobKind, payload: [UInt8], contentType: String? = "application/json", department: Department? = nil,
    priority: Priority = .normal, attempts: Int? = nil, rank: Int? = nil, id: JobID = JobID()
  ) where Output == JSONValue {
    self.init(
      id: id, kind: kind, payload: payload, contentType: contentType, department: department, priority: priority,
      attempts: attempts, rank: rank)
  }

  /// A job for a handler.
  ///
  /// - Throws: `EncodingError` when the payload cannot be written as JSON.
  public init<Handler: JobHandler>(
    _ handler: Handler.Type, _ payload: Handler.Payload, department: Department? = nil, priority: Priority = .normal,
    attempts: Int? = nil, rank: Int? = nil, id: JobID = JobID()
  ) throws where Output == Handler.Output {
    self.init(
      id: id, kind: Handler.kind, payload: [UInt8](try JSONEncoder().encode(payload)),
      contentType: "application/json", department: department, priority: priority, attempts: attempts, rank: rank)
  }

  private init(
    id: JobID, kind: JobKind, payload: [UInt8], contentType: String?, department: Department?, priority: Priority,
    attempts: Int?, rank: Int?
  ) {
    self.id = id
    self.kind = kind
    self.payload = payload
    self.contentType = contentType
    self.department = department
    self.priority = priority
    self.attempts = attempts
    self.rank = rank
  }
}

/// What becomes of a job when one that it waits for failed or was cancelled.
public enum DependencyRule: String, Hashable, Sendable, CaseIterable {
  /// It fails, too, with `dependency`.
  case fail
  /// It is cancelled.
  case cancel
}
