package import JobModel

/// How a notification is read: from the row of its job, which does not change any more.
enum NotificationRow {
  static let columns =
    "seq, id, kind, department, state, attempt, finished_at, started_at, ran_us, error_code, error_message"

  static func notification(_ cells: Cells) throws -> Notification {
    let at: Timestamp = try cells[6]
    let startedAt: Timestamp? = try cells[7]
    return Notification(
      seq: try cells[0], job: try cells[1], kind: try cells[2],
      department: try cells[3], event: (try cells[4] as JobState).rawValue, attempt: try cells[5], at: at,
      startedAgoMs: startedAt.map { at.milliseconds(since: $0) },
      runMs: (try cells[8] as Int64?).map { Duration.microseconds($0).milliseconds },
      error: JobFailure(code: try cells[9], message: try cells[10]))
  }
}

extension Statements {
  /// Notifications from a number on, in sequence.
  func notifications(from seq: Int64, limit: Int) throws -> [Notification] {
    try all(
      "SELECT \(NotificationRow.columns) FROM job WHERE seq >= ? ORDER BY seq LIMIT ?",
      seq, limit, decode: NotificationRow.notification)
  }
}

extension LedgerTransaction {
  /// The first notifications that are not known to be in the stream, in sequence.
  package func unsent(limit: Int) throws -> [Notification] {
    let sent: Int64? = try statements.first("SELECT sent_seq FROM ledger")
    return try statements.notifications(from: (sent ?? 0) + 1, limit: limit)
  }

  /// Remembers that every notification up to `seq` is in the stream. It never goes back.
  package func markSent(upTo seq: Int64) throws {
    try statements.run("UPDATE ledger SET sent_seq = ?1 WHERE sent_seq < ?1", seq)
  }
}
