import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Submits the jobs of schedules whose time has come. What was submitted, and up to when, is one transaction; and the
  /// job of a firing has an id that follows from the schedule and its time: a firing is one job.
  func fireSchedules(at now: Timestamp) throws(LedgerError) {
    guard !configuration.schedules.isEmpty else { return }
    if let next = nextFiring, next > now { return }
    let fired = try turn { transaction, outgoing in
      let last = try transaction.lastFired()
      let fired = try configuration.schedules.map { schedule in
        try fire(schedule, since: last[schedule.name], at: now, transaction, &outgoing)
      }.reduce(0, +)
      nextFiring = firing(after: now)
      try fill(transaction, &outgoing)
      if fired > 0 { FaultPoint.reached("schedules.before-record") }
      return fired
    }
    if fired > 0 { FaultPoint.reached("schedules.after-record") }
  }

  private func firing(after now: Timestamp) -> Timestamp {
    let next = configuration.schedules.compactMap { $0.expression.next(after: now, in: $0.timeZone) }
    return next.min() ?? now + Bookkeeper.noFiringPause
  }

  /// How long none is looked for when none of the schedules ever fires again.
  private static let noFiringPause: Duration = .seconds(86_400)

  /// A schedule that is new begins now: nothing of it was missed. Returns how often it fired.
  private func fire(
    _ schedule: CronSchedule, since last: Timestamp?, at now: Timestamp, _ transaction: LedgerTransaction,
    _ outgoing: inout [Outgoing]
  ) throws -> Int {
    guard let last else {
      try transaction.setFired(schedule.name, now)
      return 0
    }
    let due = schedule.due(since: last, at: now)
    for time in due.runs {
      logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
      do {
        try accept(schedule.submission(firedAt: time), by: .everything, at: now, transaction, &outgoing)
      } catch let rejection as Rejection {
        logger.error(
          "a scheduled job was rejected", metadata: ["schedule": "\(schedule.name)", "reason": "\(rejection.failure)"])
      }
    }
    if due.last != last { try transaction.setFired(schedule.name, due.last) }
    return due.runs.count
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
