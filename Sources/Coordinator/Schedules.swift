import Foundation
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
      nextFiring =
        configuration.schedules.compactMap { $0.expression.next(after: now, in: $0.timeZone) }.min() ?? now
        + Bookkeeper.noFiringPause
      try fill(transaction, &outgoing)
    }
  }

  /// How long none is looked for when none of the schedules ever fires again.
  private static let noFiringPause: Duration = .seconds(86_400)

  /// A schedule that is new begins now: nothing of it was missed.
  private func fire(
    _ schedule: CronSchedule, since last: Timestamp?, at now: Timestamp, _ transaction: LedgerTransaction,
    _ outgoing: inout [Outgoing]
  ) throws {
    guard let last else { return try transaction.setFired(schedule.name, now) }
    let due = schedule.due(since: last, at: now)
    for time in due.runs {
      logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
      do {
        try accept(schedule.submission(firedAt: time), at: now, transaction, &outgoing)
      } catch let rejection as Rejection {
        logger.error(
          "a scheduled job was rejected", metadata: ["schedule": "\(schedule.name)", "reason": "\(rejection.failure)"])
      }
    }
    if due.last != last { try transaction.setFired(schedule.name, due.last) }
  }
}

extension CronSchedule {
  /// The job of one firing.
  fileprivate func submission(firedAt time: Timestamp) -> Submission {
    // A value that was read from YAML can be written as JSON.
    let body = payload.flatMap { try? JSONEncoder().encode($0) }.map(Array.init) ?? []
    return Submission(
      id: jobID(firedAt: time), kind: kind, department: department, priority: priority ?? .normal, payload: body,
      contentType: payload == nil ? nil : "application/json", submittedAt: time, maxAttempts: attempts)
  }
}
