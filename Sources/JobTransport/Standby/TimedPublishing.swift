package import AMQP
import AsyncAlgorithms
import JobModel

/// Publishes to queues of which nobody may answer for a long time, and does not wait that long.
package struct TimedPublishing: Sendable {
  private let connection: Connection
  private let session: BrokerSession
  private let limit: Duration

  package init(connection: Connection, session: BrokerSession, limit: Duration) {
    (self.connection, self.session, self.limit) = (connection, session, limit)
  }

  /// Returns the broker's answers. The broker has the limit for its answers; while it takes nothing for lack of memory or
  /// disk, it has as long as it wants.
  ///
  /// - Throws: `.timedOut`, with that name; the connection is closed then, since nothing else ends the wait for an answer.
  package func publishInTime(_ messages: [Publishing], as name: String) async throws -> [PublishResult] {
    let results = try await withThrowingTaskGroup(of: [PublishResult]?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await connection.publish(contentsOf: messages) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) where session.state != .blocked { break }
        return nil
      }
      let results = try await group.next() ?? nil
      // Others still need the connection when this task alone is cancelled.
      if results == nil, !Task.isCancelled { await connection.close() }
      return results
    }
    if let results { return results }
    try Task.checkCancellation()
    throw AMQPError.timedOut(operation: name)
  }
}

extension Connection {
  /// Publishes a message. When the broker has not answered within the limit, the connection is closed: nothing else ends
  /// the wait, which has no limit of its own while the broker is short of memory or disk.
  ///
  /// - Throws: as to publish, and `.timedOut`, with what the broker says.
  package nonisolated(nonsending) func publish(
    _ message: Publishing, orCloseAfter limit: Duration
  ) async throws(AMQPError) -> PublishResult {
    let (result, isBlocked) = await withTaskGroup(of: Result<PublishResult, AMQPError>?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        await Result(ofAwaiting: { () async throws(AMQPError) in try await self.publish(message) })
      }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) { break }
        return nil
      }
      if let result = await group.next() ?? nil { return (result as Result?, false) }
      let isBlocked = await self.isBlocked
      await close()
      return (nil, isBlocked)
    }
    if let result { return try result.get() }
    let words = isBlocked ? "it has an alarm for memory or disk" : "no answer to a message within \(limit.inWords)"
    throw .timedOut(operation: words)
  }
}
