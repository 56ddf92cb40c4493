package import JobModel

/// What holds a job back: nothing starts before its time, or before what it waits for has succeeded.
package struct WaitRules {
  /// How much earlier than asked a job may seem to start: times are whole milliseconds on the way.
  package static let tolerance: Duration = .milliseconds(50)

  package let wanted: [JobID: Wanted]
  package let submittedAt: [JobID: Moment]
  package let runs: [JobID: [Run]]
  package let ledger: LedgerFindings
  package let cutOffs: [CutOff]

  /// Jobs with a run before their time.
  package var early: [JobID] {
    wanted.filter { job, wanted in
      guard let delay = wanted.delay, let submitted = submittedAt[job] else { return false }
      return runs[job, default: []].contains { $0.began + WaitRules.tolerance < submitted + delay }
    }.map(\.key)
  }

  /// Jobs that ran again before the back-off had passed, or before the time to which they were put off.
  package var hasty: [JobID] {
    wanted.filter { job, wanted in
      guard let pauses = wanted.pauses else { return false }
      let sorted = runs[job, default: []].sorted { $0.began < $1.began }
      return zip(sorted, sorted.dropFirst()).contains { first, second in
        guard let ended = first.ended, let pause = pause(after: first, before: second, pauses) else { return false }
        return second.began + WaitRules.tolerance < ended + pause
      }
    }.map(\.key)
  }

  private func pause(after first: Run, before second: Run, _ pauses: Wanted.Pauses) -> Duration? {
    if cutOffs.contains(where: { $0.concerns(first.pid, between: first.began, and: second.began) }) { return nil }
    let recorded = ledger.jobs[first.job]?.attempts[first.attempt]
    switch first.end {
    case .failed where recorded == "failed" && second.attempt == first.attempt + 1:
      return max(pauses.retry.delay(afterAttempt: first.attempt, random: 0), pauses.atLeast)
    case .snoozed where second.attempt == first.attempt: return pauses.snooze
    default: return nil
    }
  }

  /// Jobs with a run before what they wait for had succeeded.
  package var impatient: [JobID] {
    wanted.filter { job, wanted in
      guard let first = wanted.after else { return false }
      let success = runs[first, default: []].filter { $0.end == .succeeded }.compactMap(\.ended).min()
      return runs[job, default: []].contains { run in success.map { run.began < $0 } ?? true }
    }.map(\.key)
  }
}
