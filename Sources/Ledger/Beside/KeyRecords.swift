package import Foundation
package import JobModel

/// A key that is taken.
package struct KeyRecord: Hashable, Sendable {
  package var job: JobID
  /// The key stays taken until then at least, and in any case until its job has ended; ``whileLive``: exactly until then.
  package var until: Timestamp
  /// How its job stands; nil when the job's row was removed.
  package var state: JobState?
  /// The outcome of the job, once the job's row is removed.
  package var outcome: Outcome?

  /// Whether the ledger has the job itself.
  package var isJobKnown: Bool { state != nil }

  /// Whether a submission with the key runs nothing now.
  package func isTaken(at now: Timestamp) -> Bool { now < until || isLive }

  /// Whether its job has no outcome. That is asked of the job itself: no key outlives what it was taken for by this.
  package var isLive: Bool { state?.isFinal == false }

  /// Whether it is free as soon as its job has ended.
  package var isWhileLive: Bool { until == KeyRecord.whileLive }

  /// The ``until`` of such a key.
  package static let whileLive = Timestamp(milliseconds: 0)
}

/// A key that nobody has any more, and the job that had it.
package struct FreedKeyRecord: Hashable, Sendable {
  package var kind: JobKind
  package var text: String
  package var job: JobID?

  package init(kind: JobKind, text: String, job: JobID?) { (self.kind, self.text, self.job) = (kind, text, job) }
}

extension LedgerTransaction {
  /// How long after its window a key whose job is still under way is looked at again.
  static let keyRecheck: Duration = .seconds(600)

  /// The key belongs to that job from now on, whoever had it before.
  package func takeKey(_ kind: JobKind, _ text: String, job: JobID, until: Timestamp) throws {
    try statements.run(
      """
      INSERT OR REPLACE INTO key (kind, text, job, until, look_at, number)
      VALUES (?1, ?2, ?3, ?4, ?4, ifnull((SELECT number FROM job WHERE id = ?3), 0))
      """, kind, text, job, until)
  }

  /// Gives a key back before its window has passed; whatever its job does goes on.
  ///
  /// - Returns: Whether anybody had it.
  package func freeKey(_ kind: JobKind, _ text: String) throws -> Bool {
    try statements.run("DELETE FROM key WHERE kind = ? AND text = ?", kind, text) == 1
  }

  /// Likewise.
  ///
  /// - Returns: Whether it was taken.
  package func freeKey(_ kind: JobKind, _ text: String, at time: Timestamp) throws -> Bool {
    let isTaken = try keyHolder(kind, text)?.isTaken(at: time) ?? false
    _ = try freeKey(kind, text)
    return isTaken
  }

  /// As ``freeKey(_:_:at:)``, by a command that may come again. A command that came before changes nothing.
  ///
  /// - Returns: Whether it was taken when the command came first.
  package func freeKey(_ kind: JobKind, _ text: String, command: UUID, at time: Timestamp) throws -> Bool {
    if let known: Bool = try statements.first("SELECT changed FROM key_command WHERE id = ?", command) { return known }
    let changed = try freeKey(kind, text, at: time)
    try statements.run(
      "INSERT INTO key_command (id, changed, at) VALUES (?, ?, ?)", command, changed, time)
    return changed
  }

  /// Gives keys back whose window has passed and whose job has ended; at most `limit` are looked at.
  ///
  /// - Returns: How many it looked at: fewer than `limit` when those were all; and the keys that are free since their
  ///   windows have passed. The others are free since their jobs have ended.
  package func expireKeys(at now: Timestamp, limit: Int) throws -> (looked: Int, freed: [FreedKeyRecord]) {
    let passed: [(freed: FreedKeyRecord, isLive: Bool, isFreedByTime: Bool)] = try statements.all(
      """
      SELECT kind, text, job, ifnull((SELECT state < 2 FROM job WHERE id = key.job), 0),
        ifnull((SELECT finished_at < until FROM job WHERE id = key.job), 1)
      FROM key WHERE look_at <= ? ORDER BY look_at LIMIT ?
      """, now, limit
    ) { (FreedKeyRecord(kind: try $0[0], text: try $0[1], job: try $0[2]), try $0[3], try $0[4]) }
    for key in passed where key.isLive {
      // Else those would always come first, and those behind them never.
      try statements.run(
        "UPDATE key SET look_at = ? WHERE kind = ? AND text = ?",
        now + Self.keyRecheck, key.freed.kind, key.freed.text)
    }
    let ended = passed.filter { !$0.isLive }
    for key in ended { _ = try freeKey(key.freed.kind, key.freed.text) }
    return (passed.count, ended.filter(\.isFreedByTime).map(\.freed))
  }

  /// Keeps the outcome of a job whose row is about to be removed with its key, as long as that has it.
  func keepOutcome(of number: Int64, kind: JobKind, key: String) throws {
    try statements.run(
      """
      UPDATE key SET (state, error_code, error_message, result_type, result) =
        (SELECT state, error_code, error_message, result_type, result FROM job WHERE number = ?1)
      WHERE kind = ?2 AND text = ?3 AND job = (SELECT id FROM job WHERE number = ?1)
      """, number, kind, key)
  }
}

extension LedgerReading {
  /// Who has a key; nil when nobody has, or it was reset since. It may be one whose window has passed.
  package func keyHolder(_ kind: JobKind, _ text: String) throws -> KeyRecord? {
    try statements.first(
      """
      SELECT job, until, (SELECT state FROM job WHERE id = key.job), state, error_code, error_message, result_type,
        result
      FROM key WHERE kind = ?1 AND text = ?2 AND number > \(KeyResets.last)
      """, kind, text
    ) { row in
      let live: JobState? = try row[2]
      let kept: JobState? = try row[3]
      let outcome = try OutcomeCells(code: row[4], message: row[5], contentType: row[6], result: row[7])
      return KeyRecord(
        job: try row[0], until: try row[1], state: live,
        outcome: try live == nil ? kept.flatMap(outcome.outcome) : nil)
    }
  }
}
