package import JobModel

/// How a notification is read: from the row of its job, which does not change any more.
enum NotificationRow {
  static let columns =
    "seq, id, kind, department, state, attempt, finished_at, started_at, ran_us, error_code, error_message"

  static func notification(_ cells: Cells) throws -> Notification {
    let at = try cells.time(6)
    let startedAt = try cells.optionalTime(7)
    return Notification(
      seq: try cells.int64(0), job: try cells.jobID(1), kind: try cells.kind(2),
      department: try cells.department(3), event: try cells.state(4).rawValue, attempt: try cells.int(5), at: at,
      startedAgoMs: startedAt.map { at.milliseconds(since: $0) },
      runMs: try cells.optionalInt64(8).map { Duration.microseconds($0).milliseconds },
      error: try cells.failure(9))
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
    let sent = try statements.first("SELECT sent_seq FROM ledger") { try $0.int64(0) }
    return try statements.notifications(from: (sent ?? 0) + 1, limit: limit)
  }

  /// Remembers that every notification up to `seq` is in the stream. It never goes back.
  package func markSent(upTo seq: Int64) throws {
    try statements.run("UPDATE ledger SET sent_seq = ?1 WHERE sent_seq < ?1", seq)
  }
}
