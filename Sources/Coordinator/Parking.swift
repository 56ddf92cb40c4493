import AMQP
import JobTransport

extension Connection {
  /// Publishes messages to `teller.rejected` and waits until they are there: only then may the originals be acked.
  func park(_ messages: [ParkedMessage]) async throws {
    guard !messages.isEmpty else { return }
    let results = try await publish(contentsOf: messages.map(\.publishing))
    guard results.allSatisfy({ $0 == .confirmed }) else {
      throw AMQPError.connectionLost(reason: "the broker refused to keep a rejected message")
    }
  }
}
