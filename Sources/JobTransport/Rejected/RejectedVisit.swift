package import AMQP
import JobModel

/// A visit to the queue of rejected messages: takes messages, and gives back those that nobody has dropped or put back.
package struct RejectedVisit: Sendable {
  /// How long a visit tries again while another reader has the queue.
  package static let patience: Duration = .seconds(5)
  private static let pause: Duration = .milliseconds(100)

  private let broker: BrokerURL
  private let name: String

  /// - Parameters:
  ///   - broker: the broker's address.
  ///   - name: of the connections, in the broker's own tools.
  package init(_ broker: BrokerURL, name: String) { (self.broker, self.name) = (broker, name) }

  /// Takes messages, runs the body with them, and gives back the messages that the body leaves.
  ///
  /// - Throws: the body's errors; `AMQPError`, for which `saysQueueIsInUse` holds when another reader has had the queue all
  ///   the time.
  package func messages<Value: Sendable>(
    atMost limit: Int = RejectedQueue.mostMessages,
    _ body: @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Value
  ) async throws -> Value {
    let deadline = ContinuousClock.now + RejectedVisit.patience
    while true {
      do {
        return try await visit { try await body($0, try await $0.take(atMost: limit)) }
      } catch let error as AMQPError where error.saysQueueIsInUse && .now < deadline {
        try await Task.sleep(for: RejectedVisit.pause)
      }
    }
  }

  private func visit<Value: Sendable>(_ body: (RejectedQueue) async throws -> Value) async throws -> Value {
    let queue = try await RejectedQueue.open(broker, ConnectionOptions(name: name))
    do {
      let value = try await body(queue)
      await queue.close()
      return value
    } catch {
      await queue.close()
      throw error
    }
  }
}
