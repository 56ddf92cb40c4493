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

  /// After how many firings a turn leaves the rest to the next one. A coordinator that was away for long has many to make
  /// up for; those of one schedule are one turn.
  static let limit = 256

  /// Whether a turn has left firings that are due.
  func goesOn(at now: Timestamp) -> Bool { dueTimes.agenda?.next.map { $0 <= now } == true }

  /// Whether something is to be done at that time.
  func isDue(at now: Timestamp) -> Bool {
    guard let agenda = dueTimes.agenda else { return true }
    return agenda.next.map { $0 <= now } == true || !agenda.ahead(of: now).isEmpty
  }

  /// `isRestored`: a ledger that was lost may have made these jobs, so they are held.
  ///
  /// - Returns: Whether a job was submitted.
  @discardableResult
  func fireDue(at now: Timestamp, isRestored: Bool = false, _ turn: Turn) throws -> Bool {
    var agenda = try dueTimes.agenda ?? agenda(at: now, turn)
    try goOn(agenda.ahead(of: now), of: &agenda, at: now, turn)
    let firings = agenda.due(at: now, limit: Schedules.limit)
    try submit(firings, isRestored, turn)
    agenda.done(firings, at: now)
    dueTimes.setAgenda(agenda)
    return firings.contains { !$0.due.runs.isEmpty }
  }

  /// A schedule that is gone is forgotten: when it is back, it begins as a new one does.
  private func agenda(at now: Timestamp, _ turn: Turn) throws -> Agenda {
    let marks = try turn.ledger.scheduleMarks()
    for name in Set(marks.keys).subtracting(schedules.map(\.name)) { try turn.ledger.forgetSchedule(name) }
    var starts: [String: Timestamp] = [:]
    for schedule in schedules {
      let start = schedule.start(after: marks[schedule.name], at: now)
      if marks[schedule.name] != schedule.mark(start) { try record(schedule, doneUpTo: start, turn) }
      starts[schedule.name] = start
    }
    return Agenda(schedules, since: starts)
  }

  private func record(_ schedule: CronSchedule, doneUpTo time: Timestamp, _ turn: Turn) throws {
    try turn.ledger.setMark(schedule.mark(time), of: schedule.name)
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
      try record(schedule, doneUpTo: now, turn)
    }
  }

  private func submit(_ firings: [Agenda.Firing], _ isRestored: Bool, _ turn: Turn) throws {
    for firing in firings {
      // Of those that are held, the log says how many there are once all are.
      if !isRestored { tellMissed(firing) }
      for time in firing.due.runs { try submit(firing.schedule, firedAt: time, isRestored, turn) }
      try record(firing.schedule, doneUpTo: firing.due.last, turn)
    }
    if firings.contains(where: { !$0.due.runs.isEmpty }) { FaultPoint.reached("schedules.before-record") }
  }

  private func tellMissed(_ firing: Agenda.Firing) {
    if firing.due.missed == 0 { return }
    logger.warning(
      "firings were missed, since no coordinator served at their time: `missed` says which run now",
      metadata: [
        "schedule": "\(firing.schedule.name)", "missed": "\(firing.due.missed)", "run": "\(firing.due.runs.count)",
      ])
  }

  private func submit(
    _ schedule: CronSchedule, firedAt moment: Timestamp, _ isRestored: Bool, _ turn: Turn
  ) throws {
    logger.info("schedule fired", metadata: ["schedule": "\(schedule.name)"])
    var submission = schedule.submission(firedAt: moment)
    if isRestored { submission.runAt = .at(moment) }
    do {
      try accepting.accept(submission, by: .everything, at: time.now, isRestored: isRestored, turn)
    } catch let rejection as Rejection {
      // A firing that comes again is the same job, also after its schedule was edited.
      if rejection.failure.code == JobFailure.Code.idConflict { return }
      logger.error(
        "a scheduled job was rejected", metadata: ["schedule": "\(schedule.name)", "reason": "\(rejection.failure)"])
    }
  }
}

extension CronSchedule {
  /// Its firings up to a time are done.
  fileprivate func mark(_ last: Timestamp) -> ScheduleMark { ScheduleMark(last: last, identity: identity) }

  /// The job of one firing.
  fileprivate func submission(firedAt time: Timestamp) -> Submission {
    Submission(
      id: jobID(firedAt: time), kind: kind, department: department, priority: priority ?? .normal,
      payload: payload?.bytes ?? [],
      contentType: payload == nil ? nil : "application/json", submittedAt: time, maxAttempts: attempts)
  }
}

extension Timestamp {
  /// For people.
  fileprivate var text: String { Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601) }
}
