import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Takes submissions and reports that come ahead of their durable messages. Those that count for certain are recorded at
/// once; all others, and what is wrong with them, are left to the durable messages. So it does not matter what is lost here.
struct EarlyReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  static let batchLimit = 64

  func run() async throws { try await run(on: bookkeeper) }

  /// On the bookkeeper's thread, as the intake is.
  private func run(on bookkeeper: isolated Bookkeeper) async throws {
    while let deliveries = await consumer.nextBatch(atMost: EarlyReader.batchLimit) {
      await outbox.waitForRoom()
      // A large message would keep the books busy, and nobody has to send one here.
      try record(deliveries.filter(EarlyCodec.isAllowed), bookkeeper)
      try await bookkeeper.waitUntilSafe()
      connections.intake.ackSoon(contentsOf: deliveries.map(\.deliveryTag))
      await bookkeeper.giveWay()
    }
  }

  private func record(_ deliveries: [Delivery], _ bookkeeper: isolated Bookkeeper) throws {
    var reports = deliveries.filter(EarlyCodec.hasReports)[...]
    while let portion = Portion(takingFrom: &reports) {
      try bookkeeper.recordEarly(portion.messages, from: portion.users)
    }
    let submissions = deliveries.filter { !EarlyCodec.hasReports($0) }.map { delivery in
      Incoming(SubmissionCodec.decode(delivery, now: .now()), from: delivery.properties.userID)
    }
    if !submissions.isEmpty { try bookkeeper.acceptEarly(submissions) }
    FaultPoint.reached("early.after-record")
  }
}
