import AMQP
import BrokerSupport
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("A rejected message in the smallest frames that RabbitMQ allows", .timeLimit(.minutes(5)))
struct NarrowFrameTests {
  /// A message as large as such a broker lets a sender send, with every text as long as it may be.
  private func delivery() -> Delivery {
    let text = String(repeating: "x", count: 255)
    var properties = MessageProperties(
      contentType: text, contentEncoding: text, priority: 9, correlationID: text, replyTo: text, expiration: "99999999",
      messageID: text, timestamp: 1, type: text, userID: text, appID: text)
    properties.headers = ["a": .string(String(repeating: "y", count: 5_500)), "teller-key": .string(text)]
    return Deliveries.make(properties, .bytes([UInt8](repeating: 1, count: 50_000)))
  }

  /// AMQP allows 4,096 bytes; RabbitMQ since 4.1 no less than 8,192.
  @Test("is kept without its sender's headers, and with the reason")
  func kept() async throws {
    let node = try await BrokerNode.start(settings: ["frame_max = 8192"])
    let connection = try await Connection.patient(to: try await node.makeVirtualHost())
    let rejected = try #require(Topology.queues.first { $0.name == Topology.Queue.rejected })
    try await connection.declare(rejected)
    let reason = JobFailure(code: "unknown_kind", message: String(repeating: "why ", count: 1_000))
    let parked = ParkedMessage(delivery(), from: "teller.submissions", at: .now(), reason: reason)
    try await connection.park([parked])
    let consumer = try await connection.consume(rejected.name, options: ConsumeOptions(prefetch: 1))
    let kept = try #require(try await limited("the message") { await consumer.nextBatch(atMost: 1) }?.first)
    let headers = kept.properties.headers
    #expect(headers["a"] == nil && headers[Header.key] == nil)
    #expect(headers[Header.error] == .string("unknown_kind") && headers[Header.bodySize] == .int(50_000))
    #expect(headers[Header.lost]?.string?.contains("headers of the sender") == true)
    #expect(kept.properties.messageID?.utf8.count == 255 && kept.body.count == ParkedMessage.shortBody)
    await connection.close()
    try await node.close()
  }
}
