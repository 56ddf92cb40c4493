public import Foundation

/// One schedule of the coordinator's `teller.yaml`. Dates are by the coordinator's clock.
public struct ScheduleStatus: Hashable, Sendable, Identifiable {
  /// The schedule's name.
  public var name: String
  /// When it fires, as cron writes it.
  public var expression: String
  /// The time zone of the expression, such as `Europe/Zurich`.
  public var timeZone: String
  /// The kind of its jobs.
  public var kind: JobKind
  /// The department of its jobs; nil: the department of the kind.
  public var department: Department?
  /// The job of the last firing. Nil: there was no firing, it was skipped, its job was rejected, or the job was removed
  /// from the ledger since.
  public var lastJob: JobID?
  /// The state of that job.
  public var lastState: JobState?
  private var nextAt: Timestamp?
  private var lastAt: Timestamp?

  package init(
    name: String, expression: String, timeZone: String, kind: JobKind, department: Department?, next: Timestamp?,
    last: Timestamp?, lastJob: JobID? = nil, lastState: JobState? = nil
  ) {
    self.name = name
    self.expression = expression
    self.timeZone = timeZone
    self.kind = kind
    self.department = department
    self.lastJob = lastJob
    self.lastState = lastState
    (nextAt, lastAt) = (next, last)
  }

  /// The schedule's name.
  public var id: String { name }
  /// When it fires next; nil: never, or not before the year 10000.
  public var next: Date? { nextAt?.date }
  /// When it fired last, also when that firing was skipped because no coordinator ran; nil: it has not fired yet.
  public var last: Date? { lastAt?.date }
}

extension ScheduleStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case name, kind, department
    case expression = "cron"
    case timeZone = "time_zone"
    case nextAt = "next_ms"
    case lastAt = "last_ms"
    case lastJob = "last_job"
    case lastState = "last_state"
  }
}

/// A part of the list of schedules, by name.
package struct SchedulePage: Hashable, Sendable, Codable {
  package var schedules: [ScheduleStatus]
  /// The `after` of the next page; nil: this page is the last.
  package var next: String?

  package init(schedules: [ScheduleStatus], next: String?) {
    self.schedules = schedules
    self.next = next
  }
}

/// Which schedules are listed: the next of them after a name.
package struct ScheduleQuery: Hashable, Sendable, Codable {
  package var after: String?

  /// The most schedules of a page.
  package static let limit = 100

  package init(after: String? = nil) { self.after = after }

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case after
  }
}
