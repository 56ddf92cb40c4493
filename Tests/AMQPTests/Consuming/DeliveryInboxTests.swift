import TestSupport
import Testing

@testable import AMQP

@Suite("Delivery inboxes")
struct DeliveryInboxTests {
  @Test("a batch takes what is there, in order, and at most what was asked for")
  func takesBatches() async {
    let inbox = DeliveryInbox()
    inbox.append((1...5).map(delivery))
    // Or a batch that takes too much would leave the next one waiting for ever.
    inbox.finish(droppingRest: false)
    #expect(await inbox.nextBatch(atMost: 3)?.map(\.deliveryTag) == [1, 2, 3])
    #expect(await inbox.nextBatch(atMost: 3)?.map(\.deliveryTag) == [4, 5])
  }

  @Test("a batch of large bodies ends with the one that reaches the limit, and has one at least")
  func takesBytes() async {
    let inbox = DeliveryInbox()
    let sizes = [10, 10, 10, 100, 1]
    inbox.append(
      zip(1..., sizes).map { tag, size in
        var large = delivery(tag)
        large.body = .bytes([UInt8](repeating: 0, count: size))
        return large
      })
    inbox.finish(droppingRest: false)
    #expect(await inbox.nextBatch(atMost: 5, bytes: 15)?.map(\.deliveryTag) == [1, 2])
    #expect(await inbox.nextBatch(atMost: 5, bytes: 15)?.map(\.deliveryTag) == [3, 4])
    #expect(await inbox.nextBatch(atMost: 5, bytes: 0)?.map(\.deliveryTag) == [5])
  }

  @Test("a waiting reader gets what comes at once as one batch")
  func servesWaiters() async throws {
    let inbox = DeliveryInbox()
    let batch = Task { await inbox.nextBatch(atMost: 10) }
    inbox.append((1...2).map(delivery))
    #expect(await batch.value?.map(\.deliveryTag) == [1, 2])
  }

  @Test("a reader that expects a certain delivery does not take the end, or being cancelled, for it")
  func batches() async throws {
    let inbox = DeliveryInbox()
    let consumer = Consumer(tag: "t", inbox: inbox)
    inbox.append([delivery(1)])
    #expect(try await consumer.batch(atMost: 9).map(\.deliveryTag) == [1])
    let cut = Task { try await consumer.batch(atMost: 9) }
    cut.cancel()
    await #expect(throws: CancellationError.self) { try await cut.value }
    inbox.finish(droppingRest: true)
    await #expect(throws: AMQPError.connectionLost(reason: "the broker ended a consumer")) {
      try await consumer.batch(atMost: 9)
    }
  }

  @Test("an inbox that finishes is read to its end, unless its connection is gone")
  func finishes() async {
    let cancelled = DeliveryInbox()
    cancelled.append((1...2).map(delivery))
    cancelled.finish(droppingRest: false)
    var tags: [UInt64] = []
    while let batch = await cancelled.nextBatch(atMost: 1) { tags += batch.map(\.deliveryTag) }
    #expect(tags == [1, 2])

    let lost = DeliveryInbox()
    lost.append((1...2).map(delivery))
    lost.finish(droppingRest: true)
    lost.append([delivery(3)])
    #expect(await lost.nextBatch(atMost: 1) == nil)
  }

  @Test("cancelling a waiting reader ends its wait and loses nothing for the next one")
  func cancels() async {
    let inbox = DeliveryInbox()
    let reader = Task { await inbox.nextBatch(atMost: 1) }
    reader.cancel()
    #expect(await reader.value == nil)
    inbox.append([delivery(1)])
    #expect(await inbox.nextBatch(atMost: 1)?.count == 1)
  }

  private func delivery(_ tag: Int) -> Delivery {
    Delivery(
      consumerTag: "c", deliveryTag: UInt64(tag), isRedelivered: false, exchange: "", routingKey: "",
      properties: .init(), body: .bytes([]))
  }
}
