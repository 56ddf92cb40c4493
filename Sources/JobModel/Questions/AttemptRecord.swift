public import Foundation

/// One attempt that has ended, whether it ended its job or not. Dates are by the coordinator's clock.
///
/// An attempt that was snoozed has not been used up: its record tells of the last snooze, until the attempt has run again.
public struct AttemptRecord: Hashable, Sendable {
  /// The number of the attempt, from 1.
  public var number: Int
  /// The worker; nil when nobody knows.
  public var worker: WorkerID?
  /// How the attempt ended.
  public var end: End
  /// Why the attempt did not succeed.
  public var failure: JobFailure?
  package var startedAt: Timestamp?
  package var endedAt: Timestamp

  package init(
    number: Int, worker: WorkerID?, startedAt: Timestamp?, endedAt: Timestamp, end: End, failure: JobFailure?
  ) {
    self.number = number
    self.worker = worker
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.end = end
    self.failure = failure
  }

  /// When the attempt began; nil when nobody knows.
  public var started: Date? { startedAt?.date }
  /// When the attempt ended.
  public var ended: Date { endedAt.date }

  /// How an attempt ended: a short, stable word. A later version may have words that are none of these.
  public struct End: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The end of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The handler returned.
    public static let succeeded = End(rawValue: "succeeded")
    /// The handler threw an error, or ran for too long.
    public static let failed = End(rawValue: "failed")
    /// The attempt was cut short: its worker died or was lost, or the job was cancelled.
    public static let interrupted = End(rawValue: "interrupted")
    /// The handler has put the attempt off.
    public static let snoozed = End(rawValue: "snoozed")
  }
}

extension AttemptRecord: Codable {
  enum CodingKeys: String, CodingKey {
    case number, worker
    case end = "result"
    case startedAt = "started_ms"
    case endedAt = "ended_ms"
    case failure = "error"
  }
}
