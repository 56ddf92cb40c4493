/// A worker has died, or was silent for so long that it was given up; and the jobs that it is known to have been running.
///
/// Which of them was the cause is never told. Each was running at a death, and that is counted. A death uses up an attempt
/// of a job only where no other one can have been the cause, as far as is known.
package struct Death: Hashable, Sendable {
  /// Whose attempt it uses up; nil: more than one can have been the cause, or none is known to have run.
  package let culprit: JobID?

  /// - Parameters:
  ///   - running: The jobs that the worker is known to have been running, and at how many deaths each was running before.
  ///   - tellers: How many the worker had, in all its departments.
  ///   - hadOthers: Whether it was running others, too, whose releases are void: jobs that were cancelled, for example, and
  ///     did not stop.
  package init(of running: [JobID: Int], tellers: Int, hadOthers: Bool) {
    let suspicious = running.filter { $0.value > 0 }
    let suspects = suspicious.filter { $0.value >= Death.suspectDeaths }
    // Where a worker has one teller, no job can have been beside the one that is known.
    let isOnlyJob = running.count == 1 && tellers == 1
    let isOnlySuspect = suspects.count == 1 && suspicious.count == 1
    culprit = hadOthers ? nil : isOnlyJob ? running.keys.first : isOnlySuspect ? suspects.keys.first : nil
  }

  /// What the death says of a job that was running there.
  package func blame(on job: JobID) -> Blame { job == culprit ? .alone : .inCompany }

  /// A job that was running at so many deaths is a suspect.
  package static let suspectDeaths = 2
}

/// What is known of the death of the worker that had a job.
package enum Blame: Hashable, Sendable {
  /// No other job can have been the cause.
  case alone
  /// Another one can have been.
  case inCompany
  /// None: the worker had said that it drains, and was killed.
  case drained
}
