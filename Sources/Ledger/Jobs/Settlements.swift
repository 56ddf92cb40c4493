package import JobModel

extension LedgerTransaction {
  /// Records what became of a failed job. The first settlement stays, so that a job is replayed once.
  ///
  /// - Returns: Whether it was recorded: the job has failed, and nobody had looked after it.
  package func settle(_ number: Int64, _ settlement: Settlement) throws -> Bool {
    let (code, replay): (Int, JobID?) =
      switch settlement {
      case .replayed(let job): (SettlementCode.replayed, job)
      case .dropped: (SettlementCode.dropped, nil)
      }
    let changed = try statements.run(
      "UPDATE job SET settlement = ?, replayed_as = ? WHERE number = ? AND state = 3 AND settlement IS NULL",
      code, replay, number)
    return changed == 1
  }
}
