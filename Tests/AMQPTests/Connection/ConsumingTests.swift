import BrokerSupport
import TestSupport
import Testing

@testable import AMQP

@Suite("Consuming from the broker", .timeLimit(.minutes(10)))
struct ConsumingTests {
  @Test("consumers that share an inbox are read in the order of the wire, with each delivery under its own tag")
  func sharedInbox() async throws {
    let broker = try await Broker.make()
    let publisher = try await broker.connect("publisher")
    let connection = try await broker.connect("consumer")
    for queue in ["a", "b"] { try await publisher.declare(QueueDeclaration(queue)) }
    let inbox = DeliveryInbox()
    let first = try await connection.consume("a", options: ConsumeOptions(prefetch: 500), into: inbox)
    let second = try await connection.consume("b", options: ConsumeOptions(prefetch: 500), into: inbox)
    #expect(first != second)
    let messages = (0..<400).map { PublishingTests.message(to: $0.isMultiple(of: 2) ? "a" : "b", body: "\($0)") }
    _ = try await publisher.publish(contentsOf: messages)
    let deliveries = try await take(400, from: inbox)
    // The broker numbers the deliveries of a channel as it sends them.
    #expect(deliveries.map(\.deliveryTag) == Array(1...400))
    #expect(deliveries.allSatisfy { $0.consumerTag == ($0.routingKey == "a" ? first : second) })
    for queue in ["a", "b"] {
      let numbers = deliveries.filter { $0.routingKey == queue }.compactMap { $0.text.flatMap(Int.init) }
      #expect(numbers == numbers.sorted() && numbers.count == 200)
    }
    await connection.close()
    await publisher.close()
    #expect(await inbox.nextBatch(atMost: 1) == nil)
  }

  @Test("consumers can start and end at the same time as others: each gets its own answer, and what its queue has")
  func atOnce() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    let queues = (0..<40).map { "q\($0)" }
    for queue in queues {
      try await connection.declare(QueueDeclaration(queue))
      try await connection.put(queue, into: queue)
    }
    try await withThrowingDiscardingTaskGroup { group in
      for queue in queues {
        group.addTask {
          let consumer = try await connection.consume(queue, options: ConsumeOptions(prefetch: 1))
          let delivery = try #require(try await take(1, from: consumer).first)
          #expect(delivery.text == queue && delivery.consumerTag == consumer.tag)
          try await connection.ack(delivery.deliveryTag)
          try await connection.cancel(consumer.tag)
        }
      }
    }
    await connection.close()
  }

  @Test("what was delivered and not acked comes again, as redelivered; what was acked does not")
  func redelivery() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q"))
    for text in ["a", "b", "c", "d"] { try await connection.put(text, into: "q") }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 4))
    let deliveries = try await take(4, from: consumer)
    try await connection.ack(contentsOf: [deliveries[2].deliveryTag, deliveries[0].deliveryTag])
    // Its answer comes behind the acks; to close, a slow broker has only a moment.
    #expect(try await connection.count(of: "q") == 0)
    await connection.close()

    let next = try await broker.connect()
    let again = try await next.consume("q", options: ConsumeOptions(prefetch: 4))
    let redelivered = try await take(2, from: again)
    #expect(redelivered.map(\.text) == ["b", "d"])
    #expect(redelivered.map(\.isRedelivered) == [true, true])
    try await next.ack(contentsOf: redelivered.map(\.deliveryTag))
    #expect(try await next.count(of: "q") == 0)
    await next.close()

    let last = try await broker.connect()
    #expect(try await last.count(of: "q") == 0)
    await last.close()
  }

  @Test("a nacked delivery comes back if it is requeued, and goes if it is not")
  func nacks() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    for text in ["a", "b"] { try await connection.put(text, into: "q") }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let first = try #require(try await take(1, from: consumer).first)
    try await connection.nack(first.deliveryTag, requeue: true)
    let second = try #require(try await take(1, from: consumer).first)
    #expect(second.text == "a" && second.isRedelivered)
    try await connection.nack(second.deliveryTag, requeue: false)
    let third = try #require(try await take(1, from: consumer).first)
    #expect(third.text == "b")
    try await connection.nack(third.deliveryTag, requeue: false)
    #expect(try await connection.count(of: "q") == 0)
    await connection.close()
  }

  @Test("no more than the prefetch count is delivered at once")
  func prefetch() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    for number in 0..<5 { try await connection.put("\(number)", into: "q") }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 2))
    let held = try await take(2, from: consumer)
    #expect(try await connection.count(of: "q") == 3)
    try await connection.ack(held[0].deliveryTag)
    #expect(try await take(1, from: consumer).first?.text == "2")
    #expect(try await connection.count(of: "q") == 2)
    await connection.close()
  }

  @Test("acking a delivery twice, or one of nobody's, is refused here and does not end the connection")
  func refusesUnknownTags() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    for text in ["a", "b"] { try await connection.put(text, into: "q") }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let first = try #require(try await take(1, from: consumer).first)
    try await connection.ack(first.deliveryTag)
    await #expect(throws: AMQPError.self) { try await connection.ack(first.deliveryTag) }
    await #expect(throws: AMQPError.self) { try await connection.ack(999) }
    #expect(try await take(1, from: consumer).first?.text == "b")
    await connection.close()
  }

  @Test("a cancelled consumer ends, and what it had been given can still be read and acked")
  func cancels() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    for text in ["a", "b"] { try await connection.put(text, into: "q") }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1, consumerTag: "mine"))
    #expect(consumer.tag == "mine")
    try await eventually("the delivery has arrived", within: patience) { try await connection.count(of: "q") == 1 }
    try await connection.cancel("mine")
    try await connection.cancel("mine")
    var texts: [String?] = []
    for await delivery in consumer {
      texts.append(delivery.text)
      try await connection.ack(delivery.deliveryTag)
    }
    #expect(texts == ["a"])
    #expect(try await connection.count(of: "q") == 1)
    await connection.close()
  }

  @Test("deleting the queue ends its consumer, with an event, and not the connection")
  func queueDeleted() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q"))
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let other = try await broker.connect("other")
    try await other.delete(queue: "q")
    let event = try await firstEvent(of: connection, named: "the consumer's end") { _ in true }
    #expect(event == .consumerCancelled(tag: consumer.tag))
    #expect(try await take(1, from: consumer).isEmpty)
    try await connection.declare(QueueDeclaration("q"))
    await connection.close()
    await other.close()
  }

  @Test("a tag in use, a prefetch of zero, a nameless argument and a missing queue are refused")
  func refusesConsumers() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    let options = ConsumeOptions(prefetch: 1, consumerTag: "t")
    _ = try await connection.consume("q", options: options)
    await #expect(throws: AMQPError.self) { try await connection.consume("q", options: options) }
    await #expect(throws: AMQPError.self) { try await connection.consume("q", options: ConsumeOptions(prefetch: 0)) }
    let nameless = ConsumeOptions(prefetch: 1, arguments: ["": 1])
    await #expect(throws: AMQPError.self) { try await connection.consume("q", options: nameless) }
    let error = await #expect(throws: AMQPError.self) {
      try await connection.consume("missing", options: ConsumeOptions(prefetch: 1))
    }
    guard case .channelClosed(code: 404, _) = error else {
      Issue.record("not the broker's reason: \(String(describing: error))")
      return
    }
  }

  @Test("a stream is read from its start, with offsets")
  func stream() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("s", arguments: QueueArguments(type: .stream)))
    for text in ["a", "b"] { try await connection.put(text, into: "s") }
    let options = ConsumeOptions(prefetch: 10, arguments: ["x-stream-offset": "first"])
    let consumer = try await connection.consume("s", options: options)
    let deliveries = try await take(2, from: consumer)
    #expect(deliveries.map(\.text) == ["a", "b"])
    #expect(deliveries.map { $0.properties.headers["x-stream-offset"]?.int } == [0, 1])
    await connection.close()
  }
}
