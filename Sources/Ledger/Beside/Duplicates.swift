package import JobModel

/// Submissions that were answered as duplicates: another job had their key, or another run the name of their plan. Each
/// is remembered by its id. Its message may come again when the key or the name is free, and would then be new.
package enum Duplicates {
  /// How many are remembered, the last ones: about 6 MB.
  package static let limit: Int64 = 100_000
}

extension LedgerTransaction {
  /// The submission is a duplicate from now on. Those beyond the limit are forgotten.
  ///
  /// - Parameters:
  ///   - id: The submission's.
  ///   - number: The acceptance number of the job, or the plan, that it is a duplicate of.
  ///   - limit: How many are remembered.
  /// - Throws: What the ledger is to blame for.
  package func noteDuplicate(_ id: JobID, of number: Int64, limit: Int64 = Duplicates.limit) throws {
    try statements.run(
      """
      INSERT INTO duplicate (id, job) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET job = excluded.job WHERE job <> excluded.job
      """, id, number)
    try statements.run("DELETE FROM duplicate WHERE number <= (SELECT max(number) FROM duplicate) - ?", limit)
  }

  /// The job of which a submission is a duplicate; nil: it is none, or the job is gone.
  package func original(ofDuplicate id: JobID) throws -> Job? {
    try statements.first(
      "SELECT \(JobRow.columns) FROM job WHERE number = (SELECT job FROM duplicate WHERE id = ?)", id,
      decode: JobRow.job)
  }

  /// The run of which a plan is a duplicate; nil: it is none, or the run is gone.
  package func originalPlan(ofDuplicate id: JobID) throws -> PlanRecord? {
    let run: JobID? = try statements.first(
      "SELECT id FROM plan WHERE number = (SELECT job FROM duplicate WHERE id = ?)", id)
    return try run.flatMap(plan)
  }
}
