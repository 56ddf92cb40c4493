package import JobModel

extension LedgerTransaction {
  /// Records how a job stands that has no outcome yet. A new release is not confirmed, and no worker has adopted it. If
  /// `releasedAt` is nil, the time of the last release stays; if `isBeside` is nil, so does the queue of its message. A job
  /// that is queued waits for no time any more.
  ///
  /// - Throws: When the job has an outcome, or `progress` is final: use `finish` for a job that ends.
  package func save(
    _ progress: JobProgress, of number: Int64, releasedAt: Timestamp?, isBeside: Bool? = nil
  ) throws {
    guard !progress.state.isFinal else { throw LedgerError.failed("a job that ends is finished, not saved") }
    let changed = try statements[.saveJob].run { row in
      row.bind(.number, number)
      row.bind(.state, progress.state)
      row.bind(.attempt, progress.attempt)
      row.bind(.release, progress.release)
      row.bind(.token, progress.token)
      row.bind(.deaths, progress.deaths)
      row.bind(.releasedAt, releasedAt)
      row.bind(.beside, isBeside)
    }
    guard changed == 1 else { throw LedgerError.notLive(number) }
  }

  /// Records how many attempts a job has, as its handler says it.
  package func settleAttempts(of number: Int64, _ attempts: Int) throws {
    try statements.run("UPDATE job SET max_attempts = ? WHERE number = ?", attempts, number)
  }

  /// Records that a job may begin at any time from now on.
  package func clearStartBy(of number: Int64) throws {
    try statements.run("UPDATE job SET start_by = NULL WHERE number = ?", number)
  }

  /// Records that a job is held again until a time, because its attempt failed and is to be repeated. Nil: it waits for
  /// no time.
  ///
  /// - Throws: As ``save(_:of:releasedAt:isBeside:)``, and when `progress` is not that of a held job.
  package func hold(_ number: Int64, _ progress: JobProgress, notBefore: Timestamp?) throws {
    guard progress.state == .held else { throw LedgerError.failed("a job that is \(progress.state) is not held") }
    try save(progress, of: number, releasedAt: nil)
    try statements.run(
      "UPDATE job SET not_before = ?, by_clock = 0, withheld = 0 WHERE number = ?", notBefore, number)
  }

  /// Records which worker has adopted a job: the job runs for long, so its message was acked. Nil: no worker.
  ///
  /// - Returns: Whether it was recorded; it was not if the job is not queued.
  @discardableResult
  package func adopt(_ number: Int64, by worker: WorkerID?) throws -> Bool {
    try statements.run("UPDATE job SET adopted_by = ? WHERE number = ? AND state = 1", worker, number) == 1
  }

  /// Gives a job that has no outcome another priority, and another place among the held jobs. If `order` is nil, its
  /// place in an ordered department stays.
  package func rerank(_ number: Int64, priority: Priority, standing: Standing, order: OrderKey?) throws {
    let changed = try statements.run(
      """
      UPDATE job SET priority = ?, standing = ?, order_plan = ifnull(?, order_plan),
        order_rank = ifnull(?, order_rank), order_position = ifnull(?, order_position)
      WHERE number = ? AND state < 2
      """, priority, standing, order?.plan, order?.rank, order?.position, number)
    guard changed == 1 else { throw LedgerError.notLive(number) }
  }

  /// Records an attempt that has ended, and that did not end its job. The first record of an attempt stays, unless the
  /// attempt was not used up.
  package func record(_ attempt: AttemptRecord, of number: Int64) throws {
    let unused = UnusedAttempts(of: attempt)
    try statements.run(
      """
      INSERT INTO attempt (
        job, number, worker, started_at, ended_at, result, error_code, error_message, snoozes, losses, drains)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET worker = excluded.worker, started_at = excluded.started_at, ended_at = excluded.ended_at,
        result = excluded.result, error_code = excluded.error_code, error_message = excluded.error_message,
        snoozes = snoozes + excluded.snoozes, losses = losses + excluded.losses, drains = drains + excluded.drains
      WHERE \(UnusedAttempts.condition(on: "attempt"))
      """, number, attempt.number, attempt.worker, attempt.startedAt, attempt.endedAt, attempt.end,
      attempt.failure?.code, attempt.failure?.message, unused.snoozes, unused.losses, unused.drains)
  }
}

extension HotStatement {
  static let saveJob = HotStatement(
    """
    UPDATE job SET \(JobColumn.assignments([.state, .attempt, .release, .token, .deaths])),
      confirmed = CASE WHEN release = \(JobColumn.release.parameter) THEN confirmed ELSE 0 END,
      adopted_by = CASE WHEN \(JobColumn.state.parameter) = 1 AND release = \(JobColumn.release.parameter)
        THEN adopted_by END,
      not_before = CASE WHEN \(JobColumn.state.parameter) = 0 THEN not_before END,
      withheld = CASE WHEN \(JobColumn.state.parameter) = 0 THEN withheld ELSE 0 END,
      released_at = ifnull(\(JobColumn.releasedAt.parameter), released_at),
      beside = ifnull(\(JobColumn.beside.parameter), beside)
    WHERE number = \(JobColumn.number.parameter) AND state < 2
    """)
}
