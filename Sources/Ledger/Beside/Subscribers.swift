package import JobModel

/// How far a subscriber has come, by its own word.
package struct SubscriberRecord: Hashable, Sendable {
  package var name: SubscriberName
  /// The last notification that it has handled.
  package var position: NotificationPosition
  /// Where the stream has that; nil: not known.
  package var offset: Int64?
  /// When it last told its place.
  package var seenAt: Timestamp

  package init(name: SubscriberName, position: NotificationPosition, offset: Int64?, seenAt: Timestamp) {
    self.name = name
    self.position = position
    self.offset = offset
    self.seenAt = seenAt
  }
}

extension LedgerTransaction {
  /// Records the place of a subscriber, whichever was recorded before.
  package func keepPlace(_ record: SubscriberRecord) throws {
    try statements.run(
      "INSERT OR REPLACE INTO subscriber (name, epoch, number, place, seen_at) VALUES (?, ?, ?, ?, ?)",
      record.name.name, record.position.epoch, record.position.seq, record.offset, record.seenAt)
  }

  /// How many subscribers keep their places.
  package func subscriberCount() throws -> Int {
    try statements.first("SELECT count(*) FROM subscriber") ?? 0
  }

  /// Keeps the place of a subscriber no more.
  ///
  /// - Returns: Whether one was kept.
  package func forgetSubscriber(_ name: SubscriberName) throws -> Bool {
    try statements.run("DELETE FROM subscriber WHERE name = ?", name.name) == 1
  }

  /// Removes subscribers that have not told their places since a time. There are never many of them.
  package func removeSubscribers(seenBefore time: Timestamp) throws {
    try statements.run("DELETE FROM subscriber WHERE seen_at < ?", time)
  }
}

extension LedgerReading {
  /// The place of a subscriber; nil: none is kept.
  package func subscriber(_ name: SubscriberName) throws -> SubscriberRecord? {
    try statements.first(
      "SELECT \(SubscriberRow.columns) FROM subscriber WHERE name = ?", name.name, decode: SubscriberRow.record)
  }

  /// The next subscribers behind a name; nil: the first ones.
  package func subscribers(after name: SubscriberName?, limit: Int) throws -> [SubscriberRecord] {
    try statements.all(SubscriberRow.list, name?.name ?? "", limit, decode: SubscriberRow.record)
  }
}

/// How the row of a subscriber is read.
enum SubscriberRow {
  static let columns = "name, epoch, number, place, seen_at"
  static let list = "SELECT \(columns) FROM subscriber WHERE name > ? ORDER BY name LIMIT ?"

  static func record(_ row: Cells) throws -> SubscriberRecord {
    let name: String = try row[0]
    guard let name = SubscriberName(name) else { throw LedgerError.failed("\"\(name)\" is not a subscriber's name") }
    return SubscriberRecord(
      name: name, position: NotificationPosition(epoch: try row[1], seq: try row[2]), offset: try row[3],
      seenAt: try row[4])
  }
}
