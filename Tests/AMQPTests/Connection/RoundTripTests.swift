import TestSupport
import Testing

@testable import AMQP

@Suite("Round trips through the broker", .timeLimit(.minutes(10)))
struct RoundTripTests {
  @Test("a message arrives with its body and every property and header type, and its ack removes it")
  func everyProperty() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(ExchangeDeclaration("ex", kind: .topic))
    try await connection.declare(QueueDeclaration("q"))
    try await connection.bind(queue: "q", exchange: "ex", routingKey: "key.#")
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let sent = Publishing(exchange: "ex", routingKey: "key.a", properties: Self.everything(broker), body: body)
    #expect(try await connection.publish(sent) == .confirmed)

    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let delivery = try #require(try await take(1, from: consumer).first)
    var expected = sent.properties
    expected.deliveryMode = 2
    #expect(delivery.properties == expected)
    #expect(delivery.properties.deliveryMode == 2)
    #expect(delivery.body == .bytes(body))
    #expect((delivery.exchange, delivery.routingKey) == ("ex", "key.a"))
    #expect(delivery.consumerTag == consumer.tag && !delivery.isRedelivered)
    try await connection.ack(delivery.deliveryTag)
    // Its answer comes behind the ack; to close, a slow broker has only a moment.
    #expect(try await connection.count(of: "q") == 0)
    await connection.close()

    let after = try await broker.connect()
    #expect(try await after.count(of: "q") == 0)
    await after.close()
  }

  @Test("a message without body and properties arrives so, but for the name of its user")
  func nothingAtAll() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q"))
    #expect(try await connection.publish(Publishing(exchange: "", routingKey: "q", body: [])) == .confirmed)
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let delivery = try #require(try await take(1, from: consumer).first)
    var expected = MessageProperties()
    expected.deliveryMode = 2
    expected.userID = broker.url.user
    #expect(delivery.properties == expected && delivery.body == .bytes([]))
    await connection.close()
  }

  @Test("a transient message arrives as transient, and one that nobody takes is no error")
  func transient() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    try await connection.publish(TransientPublishing(exchange: "", routingKey: "nobody", body: [1]))
    try await connection.publish(TransientPublishing(exchange: "", routingKey: "q", body: [2]))
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let delivery = try #require(try await take(1, from: consumer).first)
    #expect(delivery.properties.deliveryMode == 1)
    #expect(delivery.body == .bytes([2]))
    await connection.close()
  }

  @Test("transient messages of one call arrive in their order, more than the window takes; one that is wrong, and none")
  func manyTransient() async throws {
    let connection = try await Broker.make().connect { $0.unconfirmedMessages = 16 }
    try await connection.declare(QueueDeclaration("q"))
    let bodies = (0..<600).map { Array("\($0)".utf8) }
    let messages = bodies.map { TransientPublishing(exchange: "", routingKey: "q", body: $0) }
    let wrong = TransientPublishing(exchange: "", routingKey: String(repeating: "k", count: 256), body: [])
    await #expect(throws: AMQPError.self) { try await connection.publish(contentsOf: messages + [wrong]) }
    let none: [TransientPublishing] = []
    try await connection.publish(contentsOf: none)
    try await connection.publish(contentsOf: messages)
    // Confirmed behind them: a message of the call that was refused would be in the queue as well.
    try await connection.put("last", into: "q")
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1_000))
    let deliveries = try await take(601, from: consumer)
    #expect(deliveries.map(\.text) == (0..<600).map { "\($0)" } + ["last"])
    #expect(deliveries.dropLast().allSatisfy { $0.properties.deliveryMode == 1 })
    await connection.close()
    await #expect(throws: AMQPError.closed) { try await connection.publish(contentsOf: none) }
  }

  @Test("the broker names a queue that has no name, and counts what waits in it")
  func declares() async throws {
    let connection = try await Broker.make().connect()
    var declaration = QueueDeclaration("")
    declaration.isExclusive = true
    let queue = try await connection.declare(declaration).name
    #expect(!queue.isEmpty)
    for text in ["a", "b", "c"] { try await connection.put(text, into: queue) }
    #expect(try await connection.count(of: queue) == 3)
    try await connection.delete(queue: queue)
    #expect(connection.serverVersion.first?.isNumber == true)
    await connection.close()
  }

  @Test("every argument of a queue is understood by the broker: another value of any is refused")
  func queueArguments() async throws {
    let broker = try await Broker.make()
    var base = QueueArguments(type: .classic)
    base.maxPriority = 9
    base.overflow = .rejectPublish
    base.maxLength = 100
    base.maxLengthBytes = 1 << 20
    base.messageTTL = .seconds(60)
    base.singleActiveConsumer = true
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q", arguments: base))
    try await connection.declare(QueueDeclaration("q", arguments: base))
    var stream = QueueArguments(type: .stream)
    stream.streamMaxSegmentSizeBytes = 1_000_000
    try await connection.declare(QueueDeclaration("s", arguments: stream))
    var quorum = QueueArguments(type: .quorum)
    quorum.deliveryLimit = 1_000_000
    try await connection.declare(QueueDeclaration("quorum", arguments: quorum))
    await connection.close()
    for change: @Sendable (inout QueueArguments) -> Void in [
      { $0.maxPriority = 8 }, { $0.overflow = nil }, { $0.maxLength = 99 }, { $0.maxLengthBytes = 1 },
      { $0.messageTTL = .seconds(61) }, { $0.singleActiveConsumer = nil },
    ] {
      var other = base
      change(&other)
      let refused = try await broker.connect()
      let declaration = QueueDeclaration("q", arguments: other)
      let error = await #expect(throws: AMQPError.self) { try await refused.declare(declaration) }
      guard case .channelClosed(code: 406, _) = error else {
        Issue.record("not refused as inequivalent: \(other.fieldTable), \(String(describing: error))")
        continue
      }
    }
  }

  private static func everything(_ broker: Broker) -> MessageProperties {
    MessageProperties(
      contentType: "application/json", contentEncoding: "gzip", headers: headers, priority: 7, correlationID: "corr",
      replyTo: "reply", expiration: "600000", messageID: "ünïcode-id", timestamp: 1_700_000_000, type: "kind",
      userID: broker.url.user, appID: "app")
  }

  private static let headers: FieldTable = [
    "string": "text", "empty": "", "emoji": "🎟️", "bytes": .bytes([0, 255, 254]), "int": -42,
    "big": .int(.max), "double": 2.5, "true": true, "false": false, "time": .timestamp(1_700_000_000),
    "void": .void, "array": [1, "two", [true, .void]], "no values": .array([]), "empty table": .table([:]),
    "table": ["inner": ["deeper": 3, "list": [["k": "v"]]]],
  ]
}
