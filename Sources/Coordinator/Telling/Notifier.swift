import AMQP
import Bookkeeping
import Decisions
import Hosting
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
  /// Told of the events of plans when the stream has them.
  let services: HostedServices

  /// The most notifications of one message.
  static let batchLimit = 500
  /// How long the first notification waits for others, after a time without any: a message to the stream costs the broker
  /// as much as the message of a job.
  static let gatherTime: Duration = .milliseconds(10)

  func run() async throws {
    while true {
      guard let batch = try await bookkeeper.nextNotifications(atMost: Notifier.batchLimit) else {
        guard await arrived.wait() else { return }
        try await Task.sleep(for: Notifier.gatherTime)
        continue
      }
      bookkeeper.board.begin(HealthPart.notifier)
      defer { bookkeeper.board.end(HealthPart.notifier) }
      try await send(batch)
    }
  }

  /// A batch that is too large for the broker goes in parts.
  private func send(_ batch: NotificationBatch) async throws {
    switch try await connections.publishing.publish(NotificationCodec.encode(batch)) {
    case .confirmed:
      FaultPoint.reached("notifier.after-confirm-before-record")
      await bookkeeper.sent(batch)
      services.tellEvents(in: batch)
    case .refused(_, let text):
      let parts = batch.halves
      if parts.isEmpty {
        throw AMQPError.connectionLost(reason: "the notification stream refuses a notification: \(text)")
      }
      for part in parts { try await send(part) }
    case .nacked, .returned: throw AMQPError.connectionLost(reason: "the notification stream refused a message")
    }
  }
}
