public import Foundation
public import JobModel

/// Something that happened to a job, for those who watch.
public struct JobEvent: Hashable, Sendable {
  /// What can happen to a job.
  public enum Change: Hashable, Sendable {
    /// A teller has been at it for a moment; shorter jobs are never seen running. Live only.
    case started
    /// It ended: the handler returned.
    case succeeded
    /// It ended: the attempts are used up, or the failure was permanent.
    case failed
    /// It ended: it was taken back.
    case cancelled
    /// Something that a later version knows of.
    case other(String)
  }

  /// The job it happened to.
  public var job: JobID
  /// Its kind.
  public var kind: JobKind
  /// Its department.
  public var department: Department
  /// What happened.
  public var change: Change
  /// The attempt it happened in, from 1.
  public var attempt: Int
  /// When, by the coordinator's clock.
  public var at: Date
  /// How long before `at` the attempt began, if it did.
  public var startedAgo: Duration?
  /// How long the handler ran, by its worker's clock.
  public var ran: Duration?
  /// Why it failed or was cancelled.
  public var failure: JobFailure?
  /// Its place among all recorded events; nil for an event that is only relayed live.
  public var position: EventPosition?

  /// Whether the event was only relayed to those who watched at that moment: it may be missing, and is never repeated.
  public var isLive: Bool { position == nil }
}

/// The place of a recorded event: later events are greater.
public struct EventPosition: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// Counts the lives of the ledger: one that was rolled back begins a new epoch instead of using numbers again.
  public var epoch: Int
  /// Counts the events of an epoch, without gaps.
  public var sequence: Int64

  /// The place of that number in that epoch.
  public init(epoch: Int, sequence: Int64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  /// Epoch and number, such as `1/42`.
  public var description: String { "\(epoch)/\(sequence)" }
  /// By epoch, then by number.
  public static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.epoch, left.sequence) < (right.epoch, right.sequence)
  }
}

/// Where a watch begins.
public enum EventStart: Hashable, Sendable {
  /// With the oldest event that is still kept.
  case start
  /// With what happens from now on.
  case now
  /// Behind that event, which was seen before.
  case after(EventPosition)
}

extension JobEvent.Change {
  init(_ name: String) {
    switch name {
    case "started": self = .started
    case "succeeded": self = .succeeded
    case "failed": self = .failed
    case "cancelled": self = .cancelled
    default: self = .other(name)
    }
  }

  /// The word on the wire.
  public var name: String {
    switch self {
    case .started: "started"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .other(let name): name
    }
  }
}

extension JobEvent {
  init(_ notification: JobModel.Notification, epoch: Int?) {
    job = notification.job
    kind = notification.kind
    department = notification.department
    change = Change(notification.event)
    attempt = notification.attempt
    at = Date(timeIntervalSince1970: Double(notification.at.milliseconds) / 1000)
    startedAgo = notification.startedAgoMs.map { .milliseconds($0) }
    ran = notification.runMs.map { .milliseconds($0) }
    failure = notification.error
    if let epoch, let sequence = notification.seq { position = EventPosition(epoch: epoch, sequence: sequence) }
  }
}
