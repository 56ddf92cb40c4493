public import Foundation

/// One attempt that has ended, whether it ended its job or not. Dates are by the coordinator's clock.
///
/// An attempt that was snoozed has not been used up: its record tells of the last snooze, until the attempt has run again. So
/// it is with one that ended as interrupted with ``JobFailure/Code/drained`` or ``JobFailure/Code/unreported``.
public struct AttemptRecord: Hashable, Sendable {
  /// The number of the attempt, from 1.
  public var number: Int
  /// The worker; nil when nobody knows.
  public var worker: WorkerID?
  /// The worker's name; nil: the coordinator does not know the worker any more.
  public var workerName: String?
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

/// How often attempts of a job have ended without being used up.
package struct UnusedAttempts: Hashable, Sendable {
  /// By a snooze.
  package var snoozes: Int
  /// The message was lost, and nothing was heard of it.
  package var losses: Int
  /// The worker was killed while it drained.
  package var drains: Int

  package init(snoozes: Int = 0, losses: Int = 0, drains: Int = 0) {
    (self.snoozes, self.losses, self.drains) = (snoozes, losses, drains)
  }

  /// What an attempt that ended in this way adds.
  package init(of attempt: AttemptRecord) {
    let isCutShort = attempt.end == .interrupted
    self.init(
      snoozes: attempt.end == .snoozed ? 1 : 0,
      losses: isCutShort && attempt.failure?.code == JobFailure.Code.unreported ? 1 : 0,
      drains: isCutShort && attempt.failure?.code == JobFailure.Code.drained ? 1 : 0)
  }

  /// How often a job can be lost without a word of any worker. One time more, and it fails.
  package static let lossLimit = 10
  /// How many deaths of workers that drained do not count against a job.
  package static let drainLimit = 10
}

extension AttemptRecord: Codable {
  enum CodingKeys: String, CodingKey {
    case number, worker
    case workerName = "worker_name"
    case end = "result"
    case startedAt = "started_ms"
    case endedAt = "ended_ms"
    case failure = "error"
  }
}
