import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Submits the jobs of schedules whose time has come by the wall clock. What was submitted, and up to when, is one
  /// transaction; and the job of a firing has an id that follows from the schedule and its time: a firing is one job.
  func fireSchedules(at now: Timestamp) throws(LedgerError) {
    guard !configuration.schedules.isEmpty else { return }
    var agenda: Agenda
    if let known = self.agenda { agenda = known } else { agenda = try self.agenda(at: now) }
    try goOn(agenda.ahead(of: now), of: &agenda, at: now)
    let firings = agenda.due(at: now)
    if !firings.isEmpty {
      try submit(firings)
      agenda.done(firings, at: now)
    }
    self.agenda = agenda
  }

  /// A schedule that is new begins now: nothing of it was missed.
  private func agenda(at now: Timestamp) throws(LedgerError) -> Agenda {
    let last = try turn { turn in
      var last = try turn.ledger.lastFired()
      for schedule in configuration.schedules where last[schedule.name] == nil {
        try turn.ledger.setFired(schedule.name, now)
        last[schedule.name] = now
      }
      return last
    }
    return Agenda(configuration.schedules, since: last)
  }

  /// Schedules that fired by a clock that was ahead go on from now: a firing that comes again is the same job.
  private func goOn(_ schedules: [CronSchedule], of agenda: inout Agenda, at now: Timestamp) throws(LedgerError) {
    guard !schedules.isEmpty else { return }
    for schedule in schedules {
      logger.warning(
        """
        a schedule fired by a clock that was ahead of the present one: it goes on from now, and a firing whose job is \
        still in the ledger is not repeated
        """, metadata: ["schedule": "\(schedule.name)", "last": "\(agenda.last(of: schedule.name)?.text ?? "")"])
      agenda.begin(schedule, at: now)
    }
    try turn { turn in
      for schedule in schedules { try turn.ledger.setFired(schedule.name, now) }
    }
  }

  private func submit(_ firings: [Agenda.Firing]) throws(LedgerError) {
    let count = firings.reduce(0) { $0 + $1.due.runs.count }
    try turn { turn in
      for firing in firings {
        for time in firing.due.runs { try submit(firing.schedule, firedAt: time, turn) }
        try turn.ledger.setFired(firing.schedule.name, firing.due.last)
      }
      try fill(turn)
      if count > 0 { FaultPoint.reached("schedules.before-record") }
    }
    if count > 0 { FaultPoint.reached("schedules.after-record") }
  }

  private func submit(
    _ schedule: CronSchedule, firedAt time: Timestamp, _ turn: Turn
  ) throws {
    logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
    do {
      try accept(schedule.submission(firedAt: time), by: .everything, at: now, turn)
    } catch let rejection as Rejection {
      logger.error(
        "a scheduled job was rejected", metadata: ["schedule": "\(schedule.name)", "reason": "\(rejection.failure)"])
    }
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

extension Timestamp {
  /// For people.
  fileprivate var text: String { Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601) }
}
