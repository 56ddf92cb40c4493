package import JobModel

/// Submissions that were answered as duplicates, because another job had their key. Each is remembered by its id: its
/// message may come again when the key is free, and would then be a job of its own.
package enum Duplicates {
  /// How many are remembered, the last ones: about 6 MB.
  package static let limit: Int64 = 100_000
}

extension LedgerTransaction {
  /// The submission is a duplicate of that job from now on. Those beyond the limit are forgotten.
  package func noteDuplicate(_ id: JobID, of job: Int64, limit: Int64 = Duplicates.limit) throws {
    try statements.run("INSERT OR IGNORE INTO duplicate (id, job) VALUES (?, ?)", id, job)
    try statements.run("DELETE FROM duplicate WHERE number <= (SELECT max(number) FROM duplicate) - ?", limit)
  }

  /// The job of which a submission is a duplicate; nil: it is none, or the job is gone.
  package func original(ofDuplicate id: JobID) throws -> Job? {
    try statements.first(
      "SELECT \(JobRow.columns) FROM job WHERE number = (SELECT job FROM duplicate WHERE id = ?)", id,
      decode: JobRow.job)
  }
}
