import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger

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
  /// The next ones in sequence; nil when all are sent.
  func nextNotifications(atMost count: Int) throws(LedgerError) -> NotificationBatch? {
    try checkThatMemoryHolds()
    if parts.unsent.isToRead { try record { try parts.unsent.read($0.ledger) } }
    guard !parts.unsent.isEmpty else { return nil }
    let batch = parts.unsent.first(count).map(parts.time.clock.shown)
    return NotificationBatch(ledger: ledger.id, epoch: parts.epoch.number, notifications: batch)
  }

  /// The stream has them.
  func sent(_ batch: NotificationBatch) {
    guard (try? checkThatMemoryHolds()) != nil else { return }
    parts.unsent.sent(batch.notifications.count, upTo: batch.notifications.last?.seq)
  }
}
