import AMQP
import Bookkeeping
import JobTransport

/// Answers what anyone may ask: from the memory, or from the ledger through a reader of its own, so that no question
/// delays the flow.
struct QuestionReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let consumer: Consumer
  let outbox: Outbox

  /// The most questions that are being answered at once: one that reads much does not keep the others waiting.
  static let limit = 8

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let delivery = await consumer.nextBatch(atMost: 1)?.first {
        if underWay == QuestionReader.limit {
          try await group.next()
          underWay -= 1
        }
        group.addTask { try await answer(delivery) }
        underWay += 1
      }
      try await group.waitForAll()
    }
  }

  private func answer(_ delivery: Delivery) async throws {
    // Others are answered at the same time: the end of one shows nothing of the others.
    bookkeeper.board.begin(HealthPart.requests, turn: delivery.deliveryTag)
    defer { bookkeeper.board.end(HealthPart.requests, turn: delivery.deliveryTag) }
    let questions = Questions(bookkeeper: bookkeeper, outbox: outbox)
    if let answer = try await questions.answer(to: delivery, broker: session.state) {
      try await connections.publishing.publish(answer)
    }
    try await connections.intake.ack(delivery.deliveryTag)
  }
}
