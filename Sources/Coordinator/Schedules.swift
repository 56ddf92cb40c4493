import JobModel
import Ledger
import Logging

extension Bookkeeper {
  /// Submits the jobs of schedules whose time has come. What was submitted, and up to when, is one transaction; and the
  /// job of a firing has an id that follows from the schedule and its time: a firing is one job.
  func fireSchedules(at now: Timestamp) throws(LedgerError) {
    guard !configuration.schedules.isEmpty else { return }
    if let next = nextFiring, next > now { return }
    try turn { transaction, outgoing in
      let last = try transaction.lastFired()
      for schedule in configuration.schedules {
        try fire(schedule, since: last[schedule.name], at: now, transaction, &outgoing)
      }
      nextFiring = configuration.schedules.compactMap { $0.expression.next(after: now, in: $0.timeZone) }.min() ?? .never
      try fill(transaction, &outgoing)
    }
  }

  /// A schedule that is new begins now: nothing of it was missed.
  private func fire(
    _ schedule: CronSchedule, since last: Timestamp?, at now: Timestamp, _ transaction: LedgerTransaction,
    _ outgoing: inout [Outgoing]
  ) throws {
    guard let last else { return try transaction.setFired(schedule.name, at: now) }
    let due = schedule.due(since: last, at: now)
    for time in due.times {
      logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
      do {
        try accept(try schedule.submission(firedAt: time), at: now, transaction, &outgoing)
      } catch let rejection as Rejection {
        logger.error(
          "a scheduled job was rejected", metadata: ["schedule": "\(schedule.name)", "reason": "\(rejection.failure)"])
      }
    }
    if due.last != last { try transaction.setFired(schedule.name, at: due.last) }
  }
}
