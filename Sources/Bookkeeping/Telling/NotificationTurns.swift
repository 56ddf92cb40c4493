import Decisions
package import JobModel
package import Ledger

/// The notifications on their way to the stream.
extension Bookkeeper {
  /// The next ones in sequence; nil when all are sent.
  package func nextNotifications(atMost count: Int) throws(LedgerError) -> NotificationBatch? {
    try checkThatMemoryHolds()
    // The ledger has those of turns, too, that are not safe yet.
    if parts.unsent.isToRead, isAllSafe { try record { try parts.unsent.read($0) } }
    guard !parts.unsent.isEmpty else { return nil }
    let batch = parts.unsent.first(count).map(parts.time.clock.shown)
    return NotificationBatch(ledger: ledger.id, epoch: parts.epoch.number, notifications: batch)
  }

  /// The stream has them.
  package func sent(_ batch: NotificationBatch) {
    guard (try? checkThatMemoryHolds()) != nil else { return }
    parts.unsent.sent(batch.notifications.count, upTo: batch.notifications.last?.seq)
  }
}
