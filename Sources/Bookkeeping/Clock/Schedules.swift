import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Submits the jobs of schedules whose time has come by the wall clock. The jobs, and the time up to which a schedule
/// has fired, are one transaction. The id of a job follows from its schedule and the time of the firing: so a firing is
/// one job.
struct Schedules {
  let schedules: [CronSchedule]
  let dueTimes: DueTimes
  let accepting: Accepting
  let time: LedgerTime
  let logger: Logger

  var isEmpty: Bool { schedules.isEmpty }
  /// Whether something is to be done at that time.
  func isDue(at now: Timestamp) -> Bool {
    guard let agenda = dueTimes.agenda else { return true }
    return agenda.next.map { $0 <= now } == true || !agenda.ahead(of: now).isEmpty
  }

  /// - Returns: Whether a job was submitted.
  func fireDue(at now: Timestamp, _ turn: Turn) throws -> Bool {
    var agenda = try dueTimes.agenda ?? agenda(at: now, turn)
    try goOn(agenda.ahead(of: now), of: &agenda, at: now, turn)
    let firings = agenda.due(at: now)
    try submit(firings, turn)
    agenda.done(firings, at: now)
    dueTimes.setAgenda(agenda)
    return firings.contains { !$0.due.runs.isEmpty }
  }

  /// A new schedule begins now: it has missed no firing.
  private func agenda(at now: Timestamp, _ turn: Turn) throws -> Agenda {
    var last = try turn.ledger.lastFired()
    for schedule in schedules where last[schedule.name] == nil {
      try turn.ledger.setFired(schedule.name, now)
      last[schedule.name] = now
    }
    return Agenda(schedules, since: last)
  }

  /// Schedules that fired by a clock that was ahead go on from now: a firing that comes again is the same job.
  private func goOn(
    _ schedules: [CronSchedule], of agenda: inout Agenda, at now: Timestamp, _ turn: Turn
  ) throws {
    for schedule in schedules {
      logger.warning(
        """
        a schedule fired by a clock that was ahead of the present one: it goes on from now, and a firing whose job is \
        still in the ledger is not repeated
        """, metadata: ["schedule": "\(schedule.name)", "last": "\(agenda.last(of: schedule.name)?.text ?? "")"])
      agenda.begin(schedule, at: now)
      try turn.ledger.setFired(schedule.name, now)
    }
  }

  private func submit(_ firings: [Agenda.Firing], _ turn: Turn) throws {
    for firing in firings {
      for time in firing.due.runs { try submit(firing.schedule, firedAt: time, turn) }
      try turn.ledger.setFired(firing.schedule.name, firing.due.last)
    }
    if firings.contains(where: { !$0.due.runs.isEmpty }) { FaultPoint.reached("schedules.before-record") }
  }

  private func submit(_ schedule: CronSchedule, firedAt moment: Timestamp, _ turn: Turn) throws {
    logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
    do {
      try accepting.accept(schedule.submission(firedAt: moment), by: .everything, at: time.now, turn)
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
