import Decisions
import JobModel
import Ledger
import Logging

/// What a ledger that was lost may have done: when the ledger is put back to an older copy, the jobs whose time has come
/// since then, and the firings since then, are held until an operator accepts or drops them. Nothing else that is due is
/// looked at before that is done.
struct Restoring {
  let departments: Departments
  let dueTimes: DueTimes
  let schedules: Schedules
  let ending: Ending
  let plans: PlanAdvancing
  let time: LedgerTime
  let logger: Logger

  /// The most jobs that one turn holds, accepts or drops.
  static let limit = 256

  /// Holds the next jobs; first of all the firings, which are jobs then.
  func hold(_ turn: Turn) throws {
    guard let moment = dueTimes.restoring else { return }
    let wall = time.clock.wallTime(of: moment)
    if dueTimes.agenda == nil || schedules.goesOn(at: wall) {
      try schedules.fireDue(at: wall, isRestored: true, turn)
      // What a turn has left of them is next, before the jobs.
      if schedules.goesOn(at: wall) { return }
    }
    let jobs = try turn.ledger.due(at: moment, wall: wall, limit: Restoring.limit)
    for job in jobs {
      try turn.ledger.holdRestored(job.number)
      departments.countRestored(1, in: job.department)
    }
    guard jobs.count < Restoring.limit else { return }
    try turn.ledger.endRestoring()
    dueTimes.setRestoring(nil)
    dueTimes.setNextDue(try turn.ledger.nextDue(lead: time.clock.lead))
    departments.warnOfRestored(logger)
  }

  /// The next jobs of a command about jobs that are held so.
  ///
  /// - Returns: Whether those were the last.
  func step(_ operation: inout OperationRecord, _ turn: Turn) throws -> Bool {
    let jobs = try turn.ledger.restoredJobs(
      upTo: operation.upTo, department: operation.department, kind: operation.kind, limit: Restoring.limit)
    let before = operation.changed
    for job in jobs {
      // A step of a plan may have ended with one that was dropped before it.
      guard try turn.ledger.isUnfinished(job.number) else { continue }
      if operation.action == .acceptRestored { try accept(job, turn) } else { try drop(job, operation.author, turn) }
      operation.changed += 1
    }
    operation.looked += jobs.count
    return jobs.count < Restoring.limit || operation.changed == before
  }

  /// The job is due at once, as after a time in which no coordinator ran.
  private func accept(_ job: Job, _ turn: Turn) throws {
    try turn.ledger.acceptRestored(job.number)
    departments.countRestored(-1, in: job.department)
    guard let time = job.notBefore else { return }
    dueTimes.expectDue(job.isByClock ? self.time.clock.ledgerTime(of: time) : time)
  }

  private func drop(_ job: Job, _ author: CommandAuthor, _ turn: Turn) throws {
    try ending.endJob(job, .cancelled(.cancelled(by: "\(author.words), who dropped it after a restore")), turn)
    try plans.advance(turn)
  }
}

extension Departments {
  /// As long as nobody decides, each start says it again.
  func warnOfRestored(_ logger: Logger) {
    let restored = books.filter { $0.value.restored > 0 }.sorted { $0.key < $1.key }
    let count = restored.reduce(0) { $0 + $1.value.restored }
    guard count > 0 else { return }
    logger.warning(
      """
      the ledger was restored, and jobs whose time came since the backup may have run already: they are held until \
      `teller restore accept` or `teller restore drop`
      """,
      metadata: [
        "jobs": "\(count)",
        "departments": "\(restored.map { "\($0.key) \($0.value.restored)" }.joined(separator: ", "))",
      ])
  }
}
