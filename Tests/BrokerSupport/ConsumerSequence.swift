package import AMQP

/// Tests read a consumer one delivery at a time.
extension Consumer: AsyncSequence {
  package func makeAsyncIterator() -> Iterator { Iterator(consumer: self) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: Consumer

    package func next() async -> Delivery? { await next(isolation: nil) }

    package func next(isolation actor: isolated (any Actor)?) async -> Delivery? {
      await consumer.nextBatch(atMost: 1, isolation: actor)?.first
    }
  }
}
