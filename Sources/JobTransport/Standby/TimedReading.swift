package import AMQP
import AsyncAlgorithms

extension Consumer {
  /// As ``batch(atMost:bytes:isolation:)``, but waits no longer than the limit.
  ///
  /// - Returns: The deliveries; none: the limit has passed, and none has come.
  /// - Throws: As for a batch without a limit.
  package func batch(
    atMost count: Int, bytes byteLimit: Int = .max, within limit: Duration
  ) async throws -> [Delivery] {
    let read = await withTaskGroup(of: [Delivery]?.self) { group -> [Delivery]? in
      group.addTask { await self.nextBatch(atMost: count, bytes: byteLimit) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) { break }
        return []
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      guard first?.isEmpty == true else { return first }
      // What has come just as the time ran out is read: nobody else gets it.
      let last = await group.next() ?? nil
      return last ?? []
    }
    if let read, !read.isEmpty { return read }
    try Task.checkCancellation()
    guard let batch = read else { throw AMQPError.connectionLost(reason: "the broker ended a consumer") }
    return batch
  }
}
