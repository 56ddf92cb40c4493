import AMQP
import Bookkeeping
import JobTransport

/// Reads what operators ask, and has it carried out, one command after the other: what is paused and then resumed shall be
/// resumed.
struct CommandReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  func run() async throws {
    while let delivery = await consumer.nextBatch(atMost: 1)?.first {
      bookkeeper.board.begin(HealthPart.admin)
      defer { bookkeeper.board.end(HealthPart.admin) }
      await outbox.waitForRoom()
      let answer = try await Commands(bookkeeper: bookkeeper).answer(to: delivery)
      try await bookkeeper.waitUntilSafe()
      FaultPoint.reached("admin.after-record-before-ack")
      if let answer { try await connections.publishing.publish(answer) }
      try await connections.consuming.ack(delivery.deliveryTag)
    }
  }
}
