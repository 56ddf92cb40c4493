import AMQP
import BrokerSupport
import JobTransport
import TestSupport
import Testing

@Suite("A read with a limit", .timeLimit(.minutes(10)))
struct TimedReadingTests {
  private static let short: Duration = .milliseconds(20)

  private func scene() async throws -> (Connection, Consumer) {
    let connection = try await Connection.patient(to: try await BrokerNode.shared.makeVirtualHost())
    try await connection.declare(QueueDeclaration("q"))
    return (connection, try await connection.consume("q", options: ConsumeOptions(prefetch: 10)))
  }

  @Test("returns nothing when nothing has come in time, and loses nothing that comes just then")
  func late() async throws {
    let (connection, consumer) = try await scene()
    #expect(try await consumer.batch(atMost: 10, within: Self.short).isEmpty)
    var (sent, read): ([String], [String]) = ([], [])
    while sent.count < 100 {
      sent.append("\(sent.count)")
      let properties = MessageProperties(messageID: sent.last)
      let message = Publishing(exchange: "", routingKey: "q", properties: properties, body: [])
      #expect(try await connection.publish(message) == .confirmed)
      while read.count < sent.count {
        let batch = try await consumer.batch(atMost: 10, within: .microseconds(100))
        try await connection.ack(contentsOf: batch.map(\.deliveryTag))
        read += batch.compactMap(\.properties.messageID)
      }
    }
    #expect(read == sent)
    await connection.close()
  }

  @Test("ends with an error when its task is cancelled, or the deliveries have ended")
  func ends() async throws {
    let (connection, consumer) = try await scene()
    let reading = Task { try await consumer.batch(atMost: 10, within: patience) }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    try await connection.delete(queue: "q")
    await #expect(throws: AMQPError.connectionLost(reason: "the broker ended a consumer")) {
      while true { _ = try await consumer.batch(atMost: 10, within: Self.short) }
    }
    await connection.close()
  }
}
