import Decisions
import Foundation
package import JobModel
package import Ledger

extension Bookkeeper {
  /// The next schedules by name, with their firings. They are computed beside the flow.
  package func listSchedules(_ query: ScheduleQuery) async throws(LedgerError) -> SchedulePage {
    let after = query.after ?? ""
    let rest = configuration.schedules.filter { $0.name > after }.sorted { $0.name < $1.name }
    let schedules = Array(rest.prefix(ScheduleQuery.limit))
    let now = parts.time.clock.wallTime(of: parts.time.now)
    let running = Set(parts.releases.live.values.filter { $0.progress.visibleState == .running }.map(\.id))
    let statuses = try await ledger.read { queries in
      let marks = try queries.scheduleMarks()
      return try schedules.map { schedule in
        try ScheduleStatus(schedule, doneUpTo: marks[schedule.name]?.last, at: now, running, queries)
      }
    }
    return SchedulePage(schedules: statuses, next: rest.count > schedules.count ? schedules.last?.name : nil)
  }
}

extension ScheduleStatus {
  /// `done`: up to when the firings of the schedule are done. That is the time of a firing, or of the coordinator that saw
  /// the schedule first.
  fileprivate init(
    _ schedule: CronSchedule, doneUpTo done: Timestamp?, at now: Timestamp, _ running: Set<JobID>,
    _ queries: LedgerQueries
  ) throws {
    let job = try done.flatMap { try queries.job(schedule.jobID(firedAt: $0)) }
    let isFiring = done.map { job != nil || schedule.fires(at: $0) } ?? false
    self.init(
      name: schedule.name, expression: schedule.expression.description, timeZone: schedule.timeZone.name,
      kind: schedule.kind, department: schedule.department,
      next: schedule.expression.next(after: now, in: schedule.timeZone), last: isFiring ? done : nil,
      lastJob: job?.id, lastState: job?.visibleState(isRunning: job.map { running.contains($0.id) } ?? false))
  }
}

extension CronSchedule {
  /// Whether that moment is one of its firings.
  fileprivate func fires(at time: Timestamp) -> Bool {
    expression.next(after: time - .milliseconds(1), in: timeZone) == time
  }
}
