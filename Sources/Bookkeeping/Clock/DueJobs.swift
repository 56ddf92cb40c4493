import Decisions
import JobModel
import Ledger

/// Jobs whose time has come: those that were held until now, and those that come too late.
struct DueJobs {
  let departments: Departments
  let releases: Releases
  let dueTimes: DueTimes
  let ending: Ending
  let withdrawing: Withdrawing
  let plans: PlanAdvancing
  let time: LedgerTime
  let epoch: LedgerEpoch

  /// The most jobs that one turn looks at.
  static let limit = 256

  /// Lifts what was held until now.
  func lift(at now: Timestamp, _ turn: Turn) throws {
    let clock = time.clock
    for job in try turn.ledger.due(at: now, wall: clock.wallTime(of: now), limit: DueJobs.limit) {
      let startBy = clock.startBy(of: job)
      try turn.ledger.lift(job.number, startBy: startBy)
      if let startBy { dueTimes.expectTooLate(startBy) }
      let isInLine = try job.isSuspect && turn.ledger.withhold(job.number, .suspect)
      let hold: Hold = job.openDependencies > 0 ? .jobs : isInLine ? .suspect : .room
      departments.rehold(from: .until(attempt: job.attempt), to: hold, job.priority, in: job.department)
      departments.mayFill(job.department)
      // One that comes too late by now must not be released in this turn.
      if let startBy, startBy <= now, !epoch.isQuiet, let late = try turn.ledger.job(number: job.number) {
        try fail(late, turn)
        try plans.advance(turn)
      }
    }
    dueTimes.setNextDue(try turn.ledger.nextDue(lead: clock.lead))
  }

  /// A held job that comes too late ends at once. A released one may be about to start: it ends when it is certain that
  /// no worker has it.
  func failTooLate(at now: Timestamp, _ turn: Turn) throws {
    let jobs = try turn.ledger.tooLate(at: now, after: dueTimes.round.after, limit: DueJobs.limit)
    for job in jobs {
      try fail(job, turn)
      try plans.advance(turn)
    }
    if jobs.count == DueJobs.limit, let last = jobs.last, let startBy = last.startBy {
      dueTimes.goOn(after: StartByPosition(startBy: startBy, number: last.number))
    } else {
      dueTimes.endRound(at: now, next: try turn.ledger.nextStartBy())
    }
  }

  private func fail(_ job: Job, _ turn: Turn) throws {
    let live = releases[job.id]
    if live?.progress.hasBegun ?? job.progress.hasBegun || live?.progress.wasStarted == true {
      return try turn.ledger.clearStartBy(job.number)
    }
    if let live {
      dueTimes.noteWithdrawing()
      return withdrawing.withdraw(live, for: .tooLate, turn)
    }
    // A step of a plan may have ended with one that came too late before it; an event's job may be gone.
    guard try turn.ledger.isUnfinished(job.number) else { return }
    try ending.endJob(job, .failed(.tooLate()), turn)
  }
}

extension LedgerClock {
  /// When a job comes too late whose time has come, by the ledger's time. A job that waited for a moment of the wall
  /// clock has as long as it was given from when that came: a clock that was set past the moment takes nothing off it.
  fileprivate func startBy(of job: DueJob) -> Timestamp? {
    guard job.isByClock, let startBy = job.startBy else { return job.startBy }
    return arrival(of: job.notBefore) + .milliseconds(startBy.milliseconds(since: job.notBefore))
  }
}
