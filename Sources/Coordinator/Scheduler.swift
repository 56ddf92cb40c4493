import Decisions
import JobModel
import Ledger
import Logging

extension Bookkeeper {
  /// The most jobs that one turn looks at because their time has come.
  static let dueLimit = 256

  /// Lifts what was held until now, fails what comes too late, and submits what is scheduled; nothing of that while the
  /// outbox is full. `now` is the ledger's time.
  ///
  /// - Returns: whether there is more to do at once.
  @discardableResult
  func lookAtClock(_ now: Timestamp) throws(LedgerError) -> Bool {
    guard outbox.hasRoom else { return false }
    if let due = nextDue, due <= now { try liftDue(at: now) }
    if let tooLate = nextTooLate, tooLate <= now, !isQuiet { try failTooLate(at: now) }
    try fireSchedules(at: clock.wallTime(of: now))
    try endQuiet(at: now)
    return nextDue.map { $0 <= now } ?? false || tooLateRound.after != nil && !isQuiet
  }

  /// A job is held until that time.
  func expectDue(_ time: Timestamp) { nextDue = min(nextDue ?? time, time) }

  /// A job must be started by that time.
  func expectTooLate(_ time: Timestamp) { nextTooLate = min(nextTooLate ?? time, time) }

  private func liftDue(at now: Timestamp) throws(LedgerError) {
    try turn { turn in
      for job in try turn.ledger.due(at: now, wall: clock.wallTime(of: now), limit: Bookkeeper.dueLimit) {
        let startBy = clock.startBy(of: job)
        try turn.ledger.lift(job.number, startBy: startBy)
        if let startBy { expectTooLate(startBy) }
        self[desk: job.department].unhold(.time, job.priority)
        let isInLine = try job.isSuspect && turn.ledger.withhold(job.number, .suspect)
        self[desk: job.department].hold(job.openDependencies > 0 ? .jobs : isInLine ? .suspect : .room, job.priority)
        unfilled.insert(job.department)
      }
      nextDue = try turn.ledger.nextDue(lead: clock.lead)
      try fill(turn)
    }
  }

  /// What is held ends at once. What is released may be about to start: it ends when it is certain that nobody has it.
  private func failTooLate(at now: Timestamp) throws(LedgerError) {
    try turn { turn in
      let jobs = try turn.ledger.tooLate(at: now, after: tooLateRound.after, limit: Bookkeeper.dueLimit)
      for job in jobs {
        if let live = released[job.id] {
          if live.progress.hasBegun || live.progress.wasStarted {
            try turn.ledger.clearStartBy(job.number)
          } else {
            tooLateRound.isPending = true
            try withdraw(live, for: .tooLate, turn)
          }
        } else if job.progress.hasBegun {
          try turn.ledger.clearStartBy(job.number)
        } else {
          try end(job, .failed(.tooLate()), turn)
        }
      }
      try carryOut(claims.flush(), turn)
      // What is being withdrawn is looked at again, since a crash forgets that it is.
      if jobs.count == Bookkeeper.dueLimit, let last = jobs.last, let startBy = last.startBy {
        tooLateRound.after = StartByPosition(startBy: startBy, number: last.number)
      } else {
        let next = try turn.ledger.nextStartBy()
        nextTooLate = tooLateRound.isPending ? now + Bookkeeper.tooLatePause : next
        tooLateRound = TooLateRound()
      }
      try fill(turn)
    }
  }

  private static let tooLatePause: Duration = .seconds(1)
}

extension LedgerClock {
  /// When a job comes too late whose time has come, by the ledger's time. What waited for a moment of the wall clock has as
  /// long as it was given from when that came: a clock that was set past the moment takes nothing off it.
  fileprivate func startBy(of job: DueJob) -> Timestamp? {
    guard job.isByClock, let startBy = job.startBy else { return job.startBy }
    return arrival(of: job.notBefore) + .milliseconds(startBy.milliseconds(since: job.notBefore))
  }
}

/// A look at all jobs that come too late, in steps.
struct TooLateRound: Sendable {
  /// Where the next step goes on; nil: at the beginning.
  var after: StartByPosition?
  /// One of them is being withdrawn.
  var isPending = false
}
