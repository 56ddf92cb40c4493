import AMQP
import DequeModule
import JobModel
import JobTransport
import Ledger
import Logging

/// Step 7 of the flow: what was recorded goes to the notification stream, in sequence, packed. One message is under way
/// at a time; what is recorded meanwhile goes into the next one.
struct Notifier {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  /// Fired with each turn that records some; closed when there will be no more.
  let arrived: Signal

  /// The most notifications of one message.
  static let batchLimit = 500

  func run() async throws {
    while true {
      guard let batch = try await bookkeeper.nextNotifications(atMost: Notifier.batchLimit) else {
        guard await arrived.wait() else { return }
        continue
      }
      bookkeeper.board.begin(HealthPart.notifier)
      defer { bookkeeper.board.end(HealthPart.notifier) }
      switch try await connections.publishing.publish(NotificationCodec.encode(batch)) {
      case .confirmed:
        FaultPoint.reached("notifier.after-confirm-before-record")
        await bookkeeper.sent(batch)
      case .nacked, .returned: throw AMQPError.connectionLost(reason: "the notification stream refused a message")
      }
    }
  }
}

extension Bookkeeper {
  /// Remembers a notification that the present turn records. When more are waiting than the memory should hold, the rest
  /// stays in the ledger until its turn comes.
  func queueNotification(_ notification: Notification) {
    guard unsent.count < Bookkeeper.unsentLimit, !hasUnsentInLedger else { return hasUnsentInLedger = true }
    unsent.append(notification)
  }

  /// The next ones in sequence; nil when all are sent.
  func nextNotifications(atMost count: Int) throws(LedgerError) -> NotificationBatch? {
    try checkThatMemoryHolds()
    if unsent.isEmpty, hasUnsentInLedger {
      unsent = Deque(try turn { turn in try turn.ledger.unsent(limit: Bookkeeper.unsentLimit) })
      hasUnsentInLedger = unsent.count == Bookkeeper.unsentLimit
    }
    guard !unsent.isEmpty else { return nil }
    let batch = unsent.prefix(count).map(clock.shown)
    return NotificationBatch(ledger: ledger.id, epoch: epoch, notifications: batch)
  }

  func sent(_ batch: NotificationBatch) {
    guard failure == nil else { return }
    unsent.removeFirst(min(batch.notifications.count, unsent.count))
    marks.sentUpTo = batch.notifications.last?.seq
  }
}
