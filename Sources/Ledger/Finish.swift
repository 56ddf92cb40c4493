package import JobModel

extension LedgerTransaction {
  /// Records the outcome of a job, and the notification that tells of it. A job that has its outcome keeps it: then
  /// nothing changes, and the notification that was recorded first is returned.
  ///
  /// The attempt that ended the job needs no record of its own, unless more is to be said of it than `outcome` says.
  /// `startedAt` is that attempt's, by this machine's clock, and nil when the job never ran; `ran` is how long its
  /// handler ran, and is kept in microseconds.
  package func finish(
    _ number: Int64, _ progress: JobProgress, _ outcome: Outcome, startedAt: Timestamp?, finishedAt: Timestamp,
    ran: Duration?, by worker: WorkerID?, attempt: AttemptRecord? = nil
  ) throws -> Notification {
    let ending = Ending(outcome: outcome, startedAt: startedAt, finishedAt: finishedAt, ran: ran, worker: worker)
    guard let job = try end(number, progress, ending) else { return try notification(of: number) }
    if let attempt { try record(attempt, of: number) }
    countEnded(job.department, outcome.state)
    let seq = try takeSeq()
    try statements.run(
      "INSERT INTO notification (seq, job, event) VALUES (?, ?, ?)", [seq.cell, number.cell, outcome.state.cell])
    return Notification(
      seq: seq, job: job.id, kind: job.kind, department: job.department, event: outcome.state.rawValue,
      attempt: progress.attempt, at: finishedAt,
      startedAgoMs: startedAt.map { finishedAt.milliseconds - $0.milliseconds }, runMs: ran?.milliseconds,
      error: outcome.failure)
  }

  private struct Ending {
    var outcome: Outcome
    var startedAt: Timestamp?
    var finishedAt: Timestamp
    var ran: Duration?
    var worker: WorkerID?
  }

  /// Writes the outcome; nil when there is one, or no such job.
  private func end(
    _ number: Int64, _ progress: JobProgress, _ ending: Ending
  ) throws -> (id: JobID, kind: JobKind, department: Department)? {
    let outcome = OutcomeCells(ending.outcome)
    return try statements.first(
      """
      UPDATE job SET state = ?, attempt = ?, release = ?, token = ?, started_at = ?, finished_at = ?, ran_us = ?,
        worker = ?, error_code = ?, error_message = ?, result_type = ?, result = ?
      WHERE number = ? AND state < 2
      RETURNING id, kind, department
      """,
      [
        ending.outcome.state.cell, progress.attempt.cell, progress.release.cell, progress.token.cell,
        ending.startedAt.cell, ending.finishedAt.cell, (ending.ran?.microseconds).cell, ending.worker.cell,
        outcome.code.cell, outcome.message.cell, outcome.contentType.cell, outcome.result.cell, number.cell,
      ]
    ) { (try $0.jobID(0), try $0.kind(1), try $0.department(2)) }
  }

  private func notification(of number: Int64) throws -> Notification {
    let recorded = try statements.first(
      "SELECT \(NotificationRow.columns) FROM \(NotificationRow.source) WHERE notification.job = ?", [number.cell],
      NotificationRow.notification)
    guard let recorded else { throw LedgerError.unknown(number) }
    return recorded
  }
}
