package import JobModel

/// The rule of effects, exact: a job that succeeded has run; and it runs again only where something kept its run from
/// being recorded. Of two runs of a job, one after the other, the second is allowed in two cases:
///
/// - the first one failed, as its payload asks, and that is in the ledger as an attempt of its own, and the second one has
///   a higher number: it is a retry; or the first one was snoozed;
/// - between the beginning of the first and the beginning of the second its process was cut off: killed, frozen or kept
///   from the broker for longer than a lease, told to end at once; or the broker lost its disk.
///
/// In no case a run begins after its job has ended: neither after somebody had been told so, nor after the end that the
/// ledger has. So a cut-off that came only after an effect had been recorded excuses nothing. The death of a coordinator
/// or of a broker that keeps its disk excuses nothing either: a worker that lives goes on to report what it ran. A
/// cancelled job may be begun while the word of that is on its way, once, and only if whatever ran before was cut off.
package struct EffectRules {
  package let ledger: LedgerFindings
  package let runs: [JobID: [Run]]
  package let cutOffs: [CutOff]
  /// When somebody had been told that a job has ended.
  package let knownToHaveEnded: [JobID: Moment]
  /// How much the clock of the ledger may differ from the one of the traces.
  package let tolerance: Duration

  /// Jobs with a run that began after their end.
  package var late: [JobID] {
    runs.filter { job, runs in
      let late = runs.filter(isLate)
      guard let first = late.first, late.count == 1, ledger.jobs[job]?.state == LedgerState.cancelled else {
        return !late.isEmpty
      }
      return !runs.allSatisfy { $0 == first || wasCutOff($0, before: first) }
    }.map(\.key)
  }

  /// Jobs with a second run that nothing excuses.
  package var repeated: [JobID] {
    runs.filter { pairs($0.value).contains { !isRetry($1, after: $0) && !wasCutOff($0, before: $1) } }.map(\.key)
  }

  /// Jobs that ran again because a run was cut off.
  package var repeatedAfterCutOff: [JobID] {
    runs.filter { pairs($0.value).contains { !isRetry($1, after: $0) && wasCutOff($0, before: $1) } }.map(\.key)
  }

  private func pairs(_ runs: [Run]) -> [(Run, Run)] {
    let sorted = runs.sorted { $0.began < $1.began }
    return Array(zip(sorted, sorted.dropFirst()))
  }

  private func isLate(_ run: Run) -> Bool {
    if let told = knownToHaveEnded[run.job], run.began > told { return true }
    guard let job = ledger.jobs[run.job], job.isFinal, let ended = job.ended else { return false }
    return run.began > ended + tolerance
  }

  private func isRetry(_ second: Run, after first: Run) -> Bool {
    if first.end == .snoozed { return true }
    return first.end == .failed && second.attempt > first.attempt
      && ledger.jobs[first.job]?.attempts[first.attempt] == "failed"
  }

  private func wasCutOff(_ first: Run, before second: Run) -> Bool {
    cutOffs.contains { $0.concerns(first.pid, between: first.began, and: second.began) }
  }
}
