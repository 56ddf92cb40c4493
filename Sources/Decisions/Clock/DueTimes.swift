package import JobModel

/// When something is to be done because its time has come: held jobs that are due, jobs that come too late, schedules
/// that fire. All times but those of schedules are the ledger's.
package final class DueTimes {
  /// When the first held job is due, and when the first waiting job comes too late; nil: none.
  package private(set) var nextDue: Timestamp?
  package private(set) var nextTooLate: Timestamp?
  /// When the schedules fire; nil: it is to be read from the ledger.
  package private(set) var agenda: Agenda?
  /// What was due by then, in the ledger's time, is to be held, because a ledger that was lost may have done it. Nil: there
  /// is nothing to hold.
  package private(set) var restoring: Timestamp?
  /// How far the look at the jobs that come too late has come: it goes in steps.
  package private(set) var round = Round()

  /// One look at all jobs that come too late.
  package struct Round: Sendable {
    /// Where the next step goes on; nil: at the beginning.
    package fileprivate(set) var after: StartByPosition?
    /// One of the jobs is being withdrawn: it is looked at again, since a crash would forget that it is.
    fileprivate var isPending = false
  }

  /// How long after a round with a job that is being withdrawn the next one begins.
  package static let pause: Duration = .seconds(1)

  package init() {}

  /// A job is held until that time.
  package func expectDue(_ time: Timestamp) { nextDue = min(nextDue ?? time, time) }

  /// What was due is lifted, or the clock was set: the next held job is due at that time.
  package func setNextDue(_ time: Timestamp?) { nextDue = time }
  package func setAgenda(_ agenda: Agenda) { self.agenda = agenda }
  /// There are other schedules.
  package func forgetAgenda() { agenda = nil }

  /// The ledger was put back to an older copy: what was due by then is to be held. Nil: all of that is held.
  package func setRestoring(_ time: Timestamp?) {
    restoring = time
    // Firings up to then are held, too.
    if time != nil { agenda = nil }
  }

  /// A job must be started by that time.
  package func expectTooLate(_ time: Timestamp) { nextTooLate = min(nextTooLate ?? time, time) }

  package func isDue(at now: Timestamp) -> Bool { nextDue.map { $0 <= now } ?? false }
  package func isTooLate(at now: Timestamp) -> Bool { nextTooLate.map { $0 <= now } ?? false }

  /// A job that has come too late is being withdrawn.
  package func noteWithdrawing() { round.isPending = true }

  /// The step has come to that place, and there are more.
  package func goOn(after position: StartByPosition) { round.after = position }

  /// The round is over. `next`: when the next job comes too late.
  package func endRound(at now: Timestamp, next: Timestamp?) {
    nextTooLate = round.isPending ? now + DueTimes.pause : next
    round = Round()
  }

  /// Takes the times that the ledger has.
  package func reload(nextDue: Timestamp?, nextTooLate: Timestamp?, restoring: Timestamp?) {
    (self.nextDue, self.nextTooLate, self.restoring) = (nextDue, nextTooLate, restoring)
    // A firing that could not be recorded is due.
    (agenda, round) = (nil, Round())
  }
}
