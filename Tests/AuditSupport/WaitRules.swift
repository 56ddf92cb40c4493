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
        earliest(after: first, before: second, pauses).map { second.began + WaitRules.tolerance < $0 } ?? false
      }
    }.map(\.key)
  }

  /// When the second of two runs may begin; nil: nobody knows.
  private func earliest(after first: Run, before second: Run, _ pauses: Wanted.Pauses) -> Moment? {
    guard let ended = first.ended else { return nil }
    if cutOffs.contains(where: { $0.concerns(first.pid, between: first.began, and: second.began) }) { return nil }
    let recorded = ledger.jobs[first.job]?.attempts[first.attempt]
    switch first.end {
    case .failed where recorded == "failed" && second.attempt == first.attempt + 1:
      return pauses.retries.compactMap { $0.end(after: first.attempt, ended, second.began, pauses.atLeast) }.min()
    case .snoozed where second.attempt == first.attempt: return ended + pauses.snooze
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

extension Wanted.Pauses.Retry {
  /// When the pause after an attempt is over by these settings: the failure was not recorded by them before they were
  /// in force. Nil: that was not between its end and the next run.
  fileprivate func end(after attempt: Int, _ ended: Moment, _ next: Moment, _ atLeast: Duration) -> Moment? {
    if let from, from > next { return nil }
    if let until, until < ended { return nil }
    return max(ended, from ?? ended) + max(settings.delay(afterAttempt: attempt, random: 0), atLeast)
  }
}
