import Testing

@testable import AMQP

@Suite("Consumers of a connection", .timeLimit(.minutes(1)))
struct ConsumersTests {
  private var consumers = Consumers()
  private let inbox = DeliveryInbox()

  @Test("a chosen tag is one that no consumer has, and a wanted one is refused while a consumer has it")
  mutating func tags() throws {
    consumers.add("consumer-1", inbox: inbox, isShared: false)
    #expect(try consumers.freeTag(nil) == "consumer-2")
    #expect(try consumers.freeTag("") == "consumer-3")
    #expect(throws: AMQPError.self) { try consumers.freeTag("consumer-1") }
    consumers.cancel("consumer-1")
    #expect(try consumers.freeTag("consumer-1") == "consumer-1")
  }

  @Test("an inbox of one consumer ends with it and is read to its end; a shared one goes on")
  mutating func cancelling() async throws {
    let shared = DeliveryInbox()
    consumers.add("own", inbox: inbox, isShared: false)
    consumers.add("shared", inbox: shared, isShared: true)
    try deliver(1, to: "own")
    try deliver(2, to: "shared")
    for tag in ["own", "shared"] { consumers.cancel(tag) }
    #expect(await inbox.nextBatch(atMost: 5)?.map(\.deliveryTag) == [1])
    #expect(await inbox.nextBatch(atMost: 5) == nil)
    consumers.add("next", inbox: shared, isShared: true)
    try deliver(3, to: "next")
    consumers.handOver()
    #expect(await shared.nextBatch(atMost: 5)?.map(\.deliveryTag) == [2, 3])
  }

  @Test("every inbox ends with the connection, also a shared one without a consumer; what is in it is void")
  mutating func ending() async throws {
    let shared = DeliveryInbox()
    consumers.add("own", inbox: inbox, isShared: false)
    consumers.add("shared", inbox: shared, isShared: true)
    try deliver(1, to: "own")
    try deliver(2, to: "shared")
    consumers.handOver()
    consumers.cancel("shared")
    consumers.removeAll()
    #expect(await inbox.nextBatch(atMost: 1) == nil)
    #expect(await shared.nextBatch(atMost: 1) == nil)
  }

  @Test("a delivery of no consumer, or with a number that was there before, is refused and waits for no ack")
  mutating func damaged() throws {
    consumers.add("own", inbox: inbox, isShared: false)
    try deliver(2, to: "own")
    #expect(throws: AMQPError.self) { try deliver(3, to: "other") }
    #expect(throws: AMQPError.self) { try deliver(2, to: "own") }
    #expect(throws: UnackedDeliveries.notOutstanding(3)) { try consumers.unacked.remove(3) }
    #expect(try consumers.unacked.remove([2]).singles == [2])
  }

  private mutating func deliver(_ deliveryTag: UInt64, to tag: String) throws {
    let head = DeliveryHead(
      consumerTag: tag, deliveryTag: deliveryTag, isRedelivered: false, exchange: "", routingKey: "")
    try consumers.deliver(
      head, AssembledMessage(head: .delivery(head), properties: .init(), body: .bytes([])))
  }
}
