import JobModel

/// The cancellation of runs: the time limit has passed, or the job has ended.
extension WorkerLoop {
  func timeLimitPassed(of release: ReleaseID, _ control: RunControl, _ limit: Duration) {
    if runs[release]?.control === control { take(.timeLimitPassed(release, limit)) }
  }

  /// Cancels the handler's task. The handler then has `timeouts.grace` to end.
  func cancelRun(_ release: ReleaseID, _ reason: RunControl.Reason) {
    guard let control = runs[release]?.control, control.cancel(reason) else { return }
    runs[release]?.grace = Task { [weak self, grace = timeouts.grace] in
      guard (try? await Task.sleep(for: grace)) != nil else { return }
      await self?.graceHasPassed(of: release, control, reason)
    }
  }

  private func graceHasPassed(of release: ReleaseID, _ control: RunControl, _ reason: RunControl.Reason) {
    // The handler may have ended just now.
    takeFinishedRuns()
    guard runs[release]?.control === control, control.isUnderWay else { return }
    take(.stuck(release, reason))
  }

  /// How many tellers of a department have a handler that does not react; without those that have none.
  var stuckTellers: [Department: Int] {
    var counts: [Department: Int] = [:]
    for (release, department) in state.stuckRuns where runs[release]?.control.hasReturned == false {
      counts[department, default: 0] += 1
    }
    // Such handlers may have all threads. What waits for one does not begin, and its time limit does not either.
    for (department, count) in counts {
      guard let all = threads[department].allAtWork, count >= all else { continue }
      counts[department] =
        count + runs.values.count { $0.start.department == department && $0.control.waitsForThread }
    }
    return counts
  }
}
