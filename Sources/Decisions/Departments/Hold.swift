package import JobModel

/// Why a job is not released, as its department counts it. Of several reasons the first of this list counts.
package enum Hold: Hashable, Sendable {
  /// The job is scheduled, or its handler has put it off.
  case time
  /// An attempt failed, and the next one is to be made later.
  case retry
  /// The job waits for other jobs that have not ended.
  case jobs
  /// No worker of its department has a handler for its kind; or only some have, and its kind has its whole part of the
  /// window.
  case handler
  /// The job was running when workers died, and waits for its turn.
  case suspect
  /// The department has no room, is closed, or serves other jobs first.
  case room

  package init(notBefore: Timestamp?, attempt: Int = 1, openDependencies: Int, withheld: Withheld? = nil) {
    switch withheld {
    case _ where notBefore != nil: self = .until(attempt: attempt)
    case _ where openDependencies > 0: self = .jobs
    case .handler: self = .handler
    case .suspect: self = .suspect
    case nil: self = .room
    }
  }

  /// Held until a time, before that attempt.
  package static func until(attempt: Int) -> Hold { attempt > 1 ? .retry : .time }
}

/// Why a department releases nothing. Each reason comes and goes alone: `teller resume` ends a pause, and a reset that
/// goes on keeps the department closed all the same.
package enum Closure: Hashable, Sendable {
  /// An operator has paused the department.
  case paused
  /// The ledger was rolled back a moment ago: workers may still run jobs that it has forgotten.
  case rolledBack
  /// This operation is about to cancel the jobs that the department held when the operation began.
  case clearing(Int64)
  /// The department is not in the coordinator's configuration.
  case unconfigured
  /// The broker refuses the department's queue, or its queue takes nothing.
  case refused
  /// The department waits until that plan is open.
  case gated(PlanName)

  /// Whether a job that is accepted now has to wait, too. An operation cancels only jobs that came before it.
  package var holdsNewJobs: Bool {
    if case .clearing = self { false } else { true }
  }

  /// The plan whose gate it is; nil: it is none.
  package var gate: PlanName? {
    if case .gated(let plan) = self { plan } else { nil }
  }
}

extension Job {
  /// Why the job is held, if it is.
  package var hold: Hold {
    Hold(
      notBefore: notBefore, attempt: progress.attempt, openDependencies: openDependencies, withheld: withheld)
  }
}
