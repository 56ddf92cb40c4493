import Decisions
import JobModel
import Logging

/// The cancellation of runs: the time limit has passed, or the job has ended.
extension WorkerLoop {
  func timeLimitPassed(of release: ReleaseID, _ control: RunControl, _ limit: Duration) {
    guard jobs[release]?.run === control else { return }
    cancelRun(release, .timeout(limit))
  }

  /// Cancels the handler's task. The handler then has `timeouts.grace` to end.
  func cancelRun(_ release: ReleaseID, _ reason: RunControl.Reason) {
    guard let job = jobs[release], let run = job.run, run.cancel(reason) else { return }
    job.grace = Task { [weak self, grace = timeouts.grace] in
      guard (try? await Task.sleep(for: grace)) != nil else { return }
      await self?.graceHasPassed(of: release, run, reason)
    }
  }

  /// Reports a handler as stuck. Nobody can end it by force: it keeps its teller.
  private func graceHasPassed(of release: ReleaseID, _ run: RunControl, _ reason: RunControl.Reason) {
    // The handler may have ended just now.
    takeFinishedRuns()
    guard let job = jobs[release], job.run === run, run.isUnderWay, tray.stuck(release) else { return }
    logger.warning(
      """
      stuck: job \(release.job) (\(job.assignment.kind)) \(text(of: reason)), and its handler has not ended within \
      \(timeouts.grace); it keeps its teller in \(job.department) until it does, or until this worker is restarted
      """)
    link?.presenceDue.raise()
  }

  /// How many tellers of a department have a handler that does not react; without those that have none. A teller that
  /// its handler has lent serves others.
  var stuckTellers: [Department: Int] {
    var counts: [Department: Int] = [:]
    for release in tray.stuck {
      guard let job = jobs[release], job.run?.hasReturned == false, !tellers.isLent(release, in: job.department) else {
        continue
      }
      counts[job.department, default: 0] += 1
    }
    // Such handlers may have all threads. What waits for one does not begin, and its time limit does not either.
    for (department, count) in counts {
      guard let all = threads[department].allAtWork, count >= all else { continue }
      counts[department] = count + jobs.values.count { $0.department == department && $0.run?.waitsForThread == true }
    }
    return counts
  }

  private func text(of reason: RunControl.Reason) -> String {
    switch reason {
    case .timeout(let limit): "has run for longer than its time limit of \(limit.inWords)"
    case .jobEnded, .closed: "was cancelled"
    }
  }
}
