package import JobModel

/// Jobs that a ledger which was lost may have run. When the ledger is put back to an older copy, what was due by then is
/// held, step by step, and the ledger knows until when that goes on.
extension LedgerTransaction {
  /// By when a job must have been due to be held, in the ledger's time; nil: nothing is to be held.
  package func restoring() throws -> Timestamp? {
    try statements.first("SELECT restored_at FROM ledger") { try $0[0] as Timestamp? } ?? nil
  }

  /// All that is to be held is held.
  package func endRestoring() throws {
    try statements.run("UPDATE ledger SET restored_at = NULL")
  }

  /// A job that waits for a time is held from now on, whatever its time.
  package func holdRestored(_ number: Int64) throws {
    try statements.run(
      """
      UPDATE job SET by_clock = by_clock + \(TimeCode.restored)
      WHERE number = ? AND state = 0 AND not_before IS NOT NULL AND by_clock < \(TimeCode.restored)
      """, number)
  }

  /// A job that was held so waits for its time alone, which has passed.
  package func acceptRestored(_ number: Int64) throws {
    try statements.run(
      """
      UPDATE job SET by_clock = by_clock - \(TimeCode.restored) WHERE number = ? AND by_clock >= \(TimeCode.restored)
      """, number)
  }

  /// The next jobs that are held so, of those that were accepted up to a number; those with the earliest time first. A job
  /// is returned again until it is accepted or has ended. Nil means any.
  package func restoredJobs(
    upTo last: Int64, department: Department? = nil, kind: JobKind? = nil, limit: Int
  ) throws -> [Job] {
    try statements.all(
      """
      SELECT \(JobRow.columnsWithoutResult) FROM job INDEXED BY job_due
      WHERE \(Self.restoredCondition) AND number <= ?1 AND (?2 IS NULL OR department = ?2) AND (?3 IS NULL OR kind = ?3)
      ORDER BY by_clock, not_before LIMIT ?4
      """, last, department, kind, limit, decode: JobRow.job)
  }
}

extension LedgerReading {
  static var restoredCondition: String {
    "state = 0 AND not_before IS NOT NULL AND by_clock >= \(TimeCode.restored)"
  }

  /// How many jobs of each department are held since the ledger was restored; of one kind, if one is named.
  package func restoredCounts(kind: JobKind? = nil) throws -> [Department: Int] {
    try statements.dictionary(
      """
      SELECT department, count(*) FROM job INDEXED BY job_due
      WHERE \(Self.restoredCondition) AND (?1 IS NULL OR kind = ?1) GROUP BY department
      """, kind)
  }
}
