package import JobModel

extension LedgerQueries {
  /// Every attempt of a job that has ended, in order: those with a record of their own, and the one that ended the job.
  package func attempts(of id: JobID) throws -> [AttemptRecord] {
    let recorded = try statements.all(
      """
      SELECT attempt.number, attempt.worker, attempt.started_at, ended_at, attempt.result, attempt.error_code,
        attempt.error_message
      FROM attempt JOIN job ON job.number = attempt.job WHERE id = ? ORDER BY attempt.number
      """, id
    ) { cells in
      AttemptRecord(
        number: try cells[0], worker: try cells[1], startedAt: try cells[2],
        endedAt: try cells[3], result: try cells[4], failure: try JobFailure(code: cells[5], message: cells[6]))
    }
    guard let last = try lastAttempt(of: id), recorded.last?.number != last.number else { return recorded }
    return recorded + [last]
  }

  /// The attempt that ended the job, as the job's own row tells it; nil when none did, e.g. it was cancelled in time.
  private func lastAttempt(of id: JobID) throws -> AttemptRecord? {
    try statements.first(
      """
      SELECT attempt, worker, started_at, finished_at, state, error_code, error_message FROM job
      WHERE id = ? AND state >= 2 AND (started_at IS NOT NULL OR worker IS NOT NULL)
      """, id
    ) { cells in
      let state: JobState = try cells[4]
      return AttemptRecord(
        number: try cells[0], worker: try cells[1], startedAt: try cells[2],
        endedAt: try cells[3], result: state == .cancelled ? "interrupted" : state.rawValue,
        failure: try JobFailure(code: cells[5], message: cells[6]))
    }
  }
}
