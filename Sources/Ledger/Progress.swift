package import JobModel

extension LedgerTransaction {
  /// Records where a job stands that has no outcome yet. A new release begins unconfirmed; without `releasedAt` the
  /// time of the last release stays.
  ///
  /// - Throws: When the job has its outcome already, or `progress` is final: a job that ends is finished.
  package func save(_ progress: JobProgress, of number: Int64, releasedAt: Timestamp?) throws {
    guard !progress.state.isFinal else { throw LedgerError.failed("a job that ends is finished, not saved") }
    let changed = try statements.run(
      """
      UPDATE job SET state = ?1, attempt = ?2, release = ?3, token = ?4,
        confirmed = CASE WHEN release = ?3 THEN confirmed ELSE 0 END,
        released_at = ifnull(?5, released_at)
      WHERE number = ?6 AND state < 2
      """,
      [
        progress.state.cell, progress.attempt.cell, progress.release.cell, progress.token.cell, releasedAt.cell,
        number.cell,
      ])
    guard changed == 1 else {
      throw LedgerError.failed("job number \(number) has its outcome already, or is not in the ledger")
    }
  }

  /// Remembers that the broker has the assignments of these releases. One that is no longer current is passed over.
  package func markConfirmed(_ releases: [(number: Int64, release: Int)]) throws {
    for (number, release) in releases {
      try statements.run(
        "UPDATE job SET confirmed = 1 WHERE number = ? AND release = ? AND state = 1", [number.cell, release.cell])
    }
  }

  /// Records an attempt that ended without ending its job. The first record of an attempt stays.
  package func record(_ attempt: AttemptRecord, of number: Int64) throws {
    try statements.run(
      """
      INSERT INTO attempt (job, number, worker, started_at, ended_at, result, error_code, error_message)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        number.cell, attempt.number.cell, attempt.worker.cell, attempt.startedAt.cell, attempt.endedAt.cell,
        attempt.result.cell, (attempt.failure?.code).cell, (attempt.failure?.message).cell,
      ])
  }
}
