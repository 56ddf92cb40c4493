public import Foundation
public import JobModel
import JobTransport

/// A job to be submitted.
///
///     var letter = try JobSubmission(Letter.self, text)
///     letter.delay = .seconds(900)
///     letter.startWithin = .seconds(7_200)
///     let handle = try await client.submit(letter)
///
/// A submission keeps its id: submitted twice it is still one job.
public struct JobSubmission<Output: Decodable & Sendable>: Sendable {
  /// The job's id. Of two submissions with the same id and the same content only the first one counts. With another
  /// payload, kind or key, or for another department, the second one is rejected with `id_conflict`.
  public var id: JobID
  /// The kind of job: it says which handler runs the job.
  public var kind: JobKind
  /// Where the job is served; nil: as the coordinator's `teller.yaml` says, else the department of the kind's name.
  public var department: Department?
  /// How urgent the job is.
  public var priority: Priority
  /// How often the job is tried; nil: as the coordinator's `teller.yaml` says, else the handler's
  /// ``HandlerPolicy``, else three times. 1: at most once.
  public var attempts: Int?
  /// The job's place within the plan that runs in an ordered department; nil: behind the plan.
  public var rank: Int?
  /// The bytes of the payload.
  public var payload: [UInt8]
  /// The content type of the payload.
  public var contentType: String?
  /// How long after its acceptance the job is held, at most ten years; nil: not at all. Not together with `runAt`.
  public var delay: Duration?
  /// Until when the job is held, by the coordinator's clock; a past moment holds nothing. Not together with `delay`.
  public var runAt: Date?
  /// How long after the acceptance, or after the end of `delay` or `runAt`, an attempt must have begun. Else the job fails
  /// with `too_late` and does not run. Not together with `startBy`.
  public var startWithin: Duration?
  /// By when an attempt must have begun, by the coordinator's clock at the acceptance. To set that clock later changes
  /// nothing. Not together with `startWithin`.
  public var startBy: Date?
  /// How long one attempt may run, up to a week. Then the handler's task is cancelled, and an attempt that fails
  /// because of it fails with `timeout`; the job is tried again while it has attempts left. Nil: as the coordinator's
  /// `teller.yaml` says, else the handler's ``HandlerPolicy``, else without a limit.
  public var timeout: Duration?
  /// The jobs, at most 100, that must succeed before this job is released. They may be submitted up to ten minutes
  /// later. A job that the ledger does not have, and whose id was made more than ten minutes before this submission, was
  /// removed, or never submitted: then this one is rejected with `unknown_dependency`.
  public var after: [JobID] = []
  /// What becomes of this job when a job of `after` fails or is cancelled.
  public var afterFailed: DependencyRule = .fail
  /// Makes the job one-shot. While the key is taken, another submission of this kind with the same key runs nothing, and
  /// its outcome is the outcome of this job. 1–200 bytes.
  public var key: String?
  /// How long the key stays taken: for a span after the acceptance, in whole seconds, or exactly while the job has no
  /// outcome. Never for less than that. Nil: a day. Only with `key`.
  public var keyWindow: KeyWindow?
  /// Headers of the submitter's own: a tenant, a request's id. The handler gets them as ``JobContext/headers``, in every
  /// attempt. At most 32, of 4 KiB together; no name begins with `teller-`. The headers of the present trace go with the
  /// job by themselves.
  public var headers: [String: String] = [:]
  /// Which replies the coordinator sends.
  public var replies: Replies = .outcome

  /// Which replies the coordinator sends. About all else the client asks while a task waits.
  public enum Replies: Hashable, Sendable {
    /// A reply when the job is accepted or rejected, and another when it has ended.
    case outcome
    /// A reply when the job is accepted or rejected.
    case acceptance
    /// No reply: the least work for the broker. A submission that is rejected goes into the queue `teller.rejected`.
    case none
  }
}

extension JobSubmission {
  /// A job of a kind that is known only at run time, or with a payload that is no JSON.
  public init(
    kind: JobKind, payload: [UInt8], contentType: String? = "application/json", department: Department? = nil,
    priority: Priority = .normal, attempts: Int? = nil, rank: Int? = nil, id: JobID = JobID()
  ) where Output == JSONValue {
    self.init(
      id: id, kind: kind, department: department, priority: priority, attempts: attempts, rank: rank, payload: payload,
      contentType: contentType)
  }

  /// A job for a handler. Members of the payload are written in the order of their names, so that the same value has the
  /// same bytes in every process.
  ///
  /// - Throws: `EncodingError` when the payload cannot be written as JSON.
  public init<Handler: JobHandler>(
    _ handler: Handler.Type, _ payload: Handler.Payload, department: Department? = nil, priority: Priority = .normal,
    attempts: Int? = nil, rank: Int? = nil, id: JobID = JobID()
  ) throws where Output == Handler.Output {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    self.init(
      id: id, kind: Handler.kind, department: department, priority: priority, attempts: attempts, rank: rank,
      payload: [UInt8](try encoder.encode(payload)), contentType: "application/json")
  }
}
