package import JobModel

extension LedgerQueries {
  /// Every attempt of a job that has ended, in order: those that have a record, and the one that ended the job, which
  /// the job's own row tells. No attempt ended a job that was cancelled before it began. What did not use up the
  /// attempt that ended the job is past.
  package func attempts(of id: JobID) throws -> [AttemptRecord] {
    try statements.all(Self.endedAttempts, id) { row in
      AttemptRecord(
        number: try row[0], worker: try row[1], startedAt: try row[2], endedAt: try row[3], end: try row[4],
        failure: JobFailure(code: try row[5], message: try row[6]))
    }
  }

  private static let endedAttempts = """
    SELECT attempt.number, attempt.worker, attempt.started_at, ended_at, attempt.result, attempt.error_code,
      attempt.error_message
    FROM attempt JOIN job ON job.number = attempt.job WHERE id = ?1
      AND NOT (state >= 2 AND \(UnusedAttempts.condition(on: "attempt")))
    UNION ALL
    SELECT attempt, worker, started_at, finished_at,
      CASE state WHEN 2 THEN 'succeeded' WHEN 3 THEN 'failed' ELSE 'interrupted' END, error_code, error_message
    FROM job
    WHERE id = ?1 AND state >= 2 AND (started_at IS NOT NULL OR worker IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM attempt AS last
        WHERE last.job = job.number AND last.number = job.attempt AND NOT \(UnusedAttempts.condition(on: "last")))
    ORDER BY 1
    """
}

extension LedgerReading {
  /// How often attempts of a job have ended without being used up.
  package func unusedAttempts(of number: Int64) throws -> UnusedAttempts {
    try statements.first(
      """
      SELECT ifnull(sum(snoozes), 0), ifnull(sum(losses), 0), ifnull(sum(drains), 0) FROM attempt WHERE job = ?
      """, number
    ) { cells in
      UnusedAttempts(snoozes: try cells[0], losses: try cells[1], drains: try cells[2])
    } ?? UnusedAttempts()
  }
}

extension UnusedAttempts {
  /// The condition on a row of `attempt` that its attempt was not used up.
  static func condition(on table: String) -> String {
    let codes = [JobFailure.Code.drained, JobFailure.Code.unreported].map { "'\($0)'" }.joined(separator: ", ")
    let isCutShort = "\(table).result = 'interrupted' AND ifnull(\(table).error_code, '') IN (\(codes))"
    return "(\(table).result = 'snoozed' OR \(isCutShort))"
  }
}
