package import JobModel

/// The rules of ordered departments: what is of another plan or another rank runs at another time, and within a plan the
/// lower rank has ended before.
package struct OrderRules {
  package let ledger: LedgerFindings
  package let runs: [JobID: [Run]]
  package let cutOffs: [CutOff]
  /// The jobs that have, or had, another rank than at first.
  package let moved: Set<JobID>
  /// How much the clock of the ledger may differ from the one of the traces.
  package let tolerance: Duration

  /// A run with the turn of its job.
  private struct Turn {
    let run: Run
    let ended: Moment
    let order: LedgerFindings.Order
    let department: String
  }

  private var turns: [Turn] {
    runs.values.flatMap(\.self).compactMap { run -> Turn? in
      guard let job = ledger.jobs[run.job], let ended = run.ended,
        let order = run.order ?? (moved.contains(run.job) ? nil : job.order),
        !cutOffs.contains(where: { $0.concerns(run.pid, between: run.began, and: ended) })
      else { return nil }
      return Turn(run: run, ended: ended, order: order, department: job.department)
    }.sorted { $0.run.began < $1.run.began }
  }

  /// Jobs that ran beside one of another turn.
  package var beside: [JobID] {
    var wrong: Set<JobID> = []
    var open: [Turn] = []
    for turn in turns {
      open.removeAll { $0.ended <= turn.run.began }
      let others = open.filter { $0.department == turn.department && $0.order != turn.order }
      if !others.isEmpty { wrong.formUnion([turn.run.job]) }
      open.append(turn)
    }
    return Array(wrong)
  }

  /// Jobs that ran before one of a lower rank of their plan had ended. Of a plan that may go back nothing is said.
  package var early: [JobID] {
    let plans = Dictionary(
      grouping: ledger.jobs.filter { $0.value.order != nil && $0.value.plan != nil && !moved.contains($0.key) }
    ) {
      $0.value.order?.plan
    }
    return turns.filter { turn in
      !moved.contains(turn.run.job)
        && (plans[turn.order.plan] ?? []).contains { _, other in
          guard let rank = other.order?.rank, rank < turn.order.rank, other.round ?? 1 == 1 else { return false }
          return other.ended.map { turn.run.began + tolerance < $0 } ?? false
        }
    }.map(\.run.job)
  }
}
