import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Reads `teller.presence`: workers that announce themselves and their runs, and the coordinator's own pulse.
struct PresenceReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  static let batchLimit = 256

  func run() async throws {
    while let deliveries = await consumer.nextBatch(atMost: PresenceReader.batchLimit) {
      bookkeeper.board.begin(HealthPart.presence)
      defer { bookkeeper.board.end(HealthPart.presence) }
      await outbox.waitForRoom()
      let read = PresenceCodec.worthReading(deliveries)
      let messages = read.map(PresenceCodec.decode)
      let users = read.map(\.properties.userID)
      let access = await bookkeeper.configuration.access
      if zip(messages, users).contains(where: { $0 == .pulse && access.isOwn($1) }) {
        bookkeeper.board.renew(HealthPart.hearing)
      }
      let news = await bookkeeper.vetted(messages, from: users)
      if await bookkeeper.isBehind(news) { throw AMQPError.ledgerIsBehind }
      if !news.isEmpty { try await bookkeeper.hear(news, at: SessionClock.now) }
      try await bookkeeper.waitUntilSafe()
      try await connections.consuming.ack(contentsOf: deliveries.map(\.deliveryTag))
    }
  }
}
