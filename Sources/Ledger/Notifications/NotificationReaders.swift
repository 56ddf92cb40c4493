package import JobModel

extension LedgerTransaction {
  /// The number of the last notification; 0 when there was none.
  package func lastSeq() throws -> Int64 { try nextNotification().number - 1 }

  /// The first notifications that are not known to be in the stream, in sequence: of outcomes, and of what plans tell. The
  /// stream has no form for others: they are passed over, and count as sent with the next one.
  package func unsent(limit: Int) throws -> [Notification] {
    try streamed(from: try position(of: .stream) + 1, limit: limit)
  }

  /// Remembers that every notification up to `seq` is in the stream. It never goes back.
  package func markSent(upTo seq: Int64) throws { try markRead(by: .stream, upTo: seq) }

  /// The first notifications that a reader has not read, in sequence.
  package func unread(by reader: NotificationReader, limit: Int) throws -> [NotificationRecord] {
    try allNotifications(from: try position(of: reader) + 1, limit: limit)
  }

  /// Remembers that a reader has read every notification up to a number. It never goes back.
  package func markRead(by reader: NotificationReader, upTo number: Int64) throws {
    try statements.run("UPDATE reader SET number = ?1 WHERE name = ?2 AND number < ?1", number, reader.name)
  }

  /// Keeps for a reader what is recorded from now on, until it has read it; one that is known goes on where it is.
  /// Retention waits for every reader: remove a reader that does not read any more.
  package func addReader(_ reader: NotificationReader) throws {
    try statements.run(
      "INSERT INTO reader (name, number) VALUES (?, ?) ON CONFLICT DO NOTHING", reader.name, try lastSeq())
  }

  /// Keeps nothing for a reader any more; one that is not known is no error.
  package func removeReader(_ reader: NotificationReader) throws {
    try statements.run("DELETE FROM reader WHERE name = ?", reader.name)
  }

  private func position(of reader: NotificationReader) throws -> Int64 {
    let number: Int64? = try statements.first("SELECT number FROM reader WHERE name = ?", reader.name)
    guard let number else { throw LedgerError.failed("nobody has added the reader \(reader.name)") }
    return number
  }
}
