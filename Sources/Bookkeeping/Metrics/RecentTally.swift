import Decisions
import JobModel

extension RecentJobs {
  /// Counts what a turn has done. `now` is on the session's clock.
  func count(_ tally: TurnTally, at now: Duration) {
    for jobs in tally.jobs {
      count(
        accepted: jobs.accepted, ended: jobs.ended.values.reduce(0, +), in: jobs.labels.department, at: now)
    }
  }
}
