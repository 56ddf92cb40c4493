public import JobModel
import Foundation
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
  /// What the coordinator is to tell of the job by itself.
  public var answers: Answers = .outcome

  /// What the coordinator tells by itself. Whatever is not told is asked for when somebody waits for it, which takes
  /// some seconds.
  public enum Answers: Hashable, Sendable {
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

extension JobSubmission {
  /// The submission as it goes over the wire.
  ///
  /// - Throws: a `TellerError` for what the coordinator would reject.
  func submission(replyQueue: String) throws(TellerError) -> Submission {
    if payload.count > SubmissionCodec.defaultBodyLimit {
      throw .payloadTooLarge(bytes: payload.count, limit: SubmissionCodec.defaultBodyLimit)
    }
    if let attempts, !Submission.attemptLimits.contains(attempts) {
      throw .invalid(reason: "attempts: \(attempts) is not between 1 and 100")
    }
    if let rank, !Submission.rankLimits.contains(rank) {
      throw .invalid(reason: "rank: \(rank) is not between 1 and 1000000")
    }
    return Submission(
      id: id, kind: kind, department: department, priority: priority, payload: payload, contentType: contentType,
      submittedAt: .now(), maxAttempts: attempts, rank: rank, reply: reply(to: replyQueue))
  }

  private func reply(to queue: String) -> ReplyAddress? {
    switch answers {
    case .none: nil
    case .acceptance: ReplyAddress(replyTo: queue, correlationID: id.description, wait: .accepted)
    case .outcome: ReplyAddress(replyTo: queue, correlationID: id.description, wait: .outcome)
    }
  }
}
