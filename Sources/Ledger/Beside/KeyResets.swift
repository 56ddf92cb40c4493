package import JobModel

/// The last reset of a key, as part of statements: jobs up to that number count as if they never had the key.
enum KeyResets {
  /// `?1` is the kind and `?2` the key.
  static let last =
    "ifnull((SELECT max(number) FROM key_reset WHERE key_reset.kind = ?1 AND key_reset.text IN ('', ?2)), -1)"
  /// Of a row of `key`.
  static let ofRow = """
    ifnull((SELECT max(number) FROM key_reset WHERE key_reset.kind = key.kind AND key_reset.text IN ('', key.text)), -1)
    """
}

extension LedgerTransaction {
  /// Whoever has the key by now, or has had it, counts as if he never had. Without a key all keys of the kind are meant.
  /// However many those are, this writes one row: what is left of them is removed by ``removeResetKeys(_:_:upTo:limit:)``.
  package func forgetKeys(_ kind: JobKind, _ text: String?, upTo number: Int64, at time: Timestamp) throws {
    try statements.run(
      "INSERT OR REPLACE INTO key_reset (kind, text, number, at) VALUES (?, ?, ?, ?)", kind, text ?? "", number, time)
  }

  /// Removes a key that was reset.
  package func removeResetKey(_ kind: JobKind, _ text: String, upTo number: Int64) throws {
    try statements.run("DELETE FROM key WHERE kind = ? AND text = ? AND number <= ?", kind, text, number)
  }

  /// Removes keys of a kind that were reset, at most `limit`.
  ///
  /// - Returns: The jobs that had them: fewer than `limit` when those were all.
  package func removeResetKeys(_ kind: JobKind, upTo number: Int64, limit: Int) throws -> [JobID] {
    try statements.all(
      """
      DELETE FROM key WHERE kind = ?1 AND text IN (SELECT text FROM key WHERE kind = ?1 AND number <= ?2 ORDER BY text LIMIT ?3)
      RETURNING job
      """, kind, number, limit
    ) { try $0[0] }
  }

  /// Forgets resets before `time`, at most `limit`, of whose keys no job is left that had them before.
  func removeKeyResets(before time: Timestamp, limit: Int) throws {
    try statements.run(
      """
      DELETE FROM key_reset WHERE (kind, text) IN (
        SELECT kind, text FROM key_reset AS old WHERE at < ?
          AND NOT EXISTS (SELECT 1 FROM operation WHERE action = 'reset_keys' AND finished_at IS NULL)
          AND iif(text = '', number < (SELECT ifnull(min(number), 9223372036854775807) FROM job), NOT EXISTS (
            SELECT 1 FROM job WHERE job.kind = old.kind AND job.key = old.text AND job.number <= old.number))
        ORDER BY at, kind, text LIMIT ?)
      """, time, limit)
  }
}

extension LedgerTransaction {
  /// The next jobs without an outcome that have had a key of the kind, by their acceptance numbers: from after
  /// `position` up to `last`. A step looks at `limit` jobs at most, and it may find none. Without a key it looks at all
  /// jobs of the kind.
  package func jobs(
    withKeyOf kind: JobKind, _ text: String?, after position: Int64, upTo last: Int64, limit: Int
  ) throws -> JobStep {
    guard let text else {
      return try liveJobs(after: position, upTo: last, kind: kind, limit: limit)
    }
    let numbers: [Int64] = try statements.all(
      """
      SELECT number FROM job INDEXED BY job_key WHERE kind = ? AND key = ? AND number > ? AND number <= ?
      ORDER BY number LIMIT ?
      """, kind, text, position, last, limit)
    let jobs = try numbers.map { try statements.listedJob($0) }
    let isLast = numbers.count < limit
    return JobStep(
      jobs: jobs.filter { $0.outcome == nil }, position: isLast ? last : numbers.last ?? last, isLast: isLast)
  }
}

extension LedgerReading {
  /// The last job that had the key, taken or not; nil: none had, or the key was reset since, or the job's row is removed
  /// and the key is free.
  package func lastJob(withKey text: String, of kind: JobKind) throws -> Job? {
    try statements.first(
      """
      SELECT \(JobRow.columns) FROM job WHERE number = (
        SELECT number FROM job INDEXED BY job_key WHERE kind = ?1 AND key = ?2 AND number > \(KeyResets.last)
        ORDER BY number DESC LIMIT 1)
      """, kind, text, decode: JobRow.job)
  }
}
