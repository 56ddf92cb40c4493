import AMQP
import CoordinatorSettings
import JobModel
import JobTransport
import Teller

/// A command's visit to the queue of rejected messages.
struct RejectedReading: Sendable {
  /// How many messages one command reads.
  static let limits = 1...RejectedQueue.mostMessages
  /// How long a command tries again while another reader has the queue.
  static let patience: Duration = .seconds(5)
  private static let pause: Duration = .milliseconds(100)

  private let broker: BrokerURL

  /// - Throws: `ConfigurationError`.
  init(_ global: GlobalOptions) throws {
    let settings = try global.connectionSettings()
    try settings.checkEncryption()
    broker = settings.brokerURL
  }

  /// Takes messages, runs the body with them, and gives back the messages that the body leaves.
  ///
  /// - Throws: the body's errors; `Failure`; `AMQPError`.
  func messages<Value: Sendable>(
    atMost limit: Int = RejectedQueue.mostMessages,
    _ body: @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Value
  ) async throws -> Value {
    let deadline = ContinuousClock.now + RejectedReading.patience
    while true {
      do {
        return try await visit { try await body($0, try await $0.take(atMost: limit)) }
      } catch let error as AMQPError where error.saysQueueIsInUse {
        guard ContinuousClock.now < deadline else {
          throw Failure(.noCoordinator, "another program reads \(Topology.Queue.rejected); try again when it has ended")
        }
        try await Task.sleep(for: RejectedReading.pause)
      }
    }
  }

  private func visit<Value: Sendable>(_ body: (RejectedQueue) async throws -> Value) async throws -> Value {
    let queue = try await RejectedQueue.open(broker, ConnectionOptions(name: "teller rejected"))
    do {
      let value = try await body(queue)
      await queue.close()
      return value
    } catch {
      await queue.close()
      throw Failure(ofRejected: error) ?? error
    }
  }
}

extension Failure {
  /// The failures with a meaning of their own here; nil for another error.
  init?(ofRejected error: any Error) {
    if let stopped = error as? PutBackStopped {
      self.init(Failure(stopped.cause).status, stopped.description)
      return
    }
    guard let error = error as? AMQPError, !error.saysQueueIsInUse, case .channelClosed(let code, let text) = error
    else { return nil }
    switch code {
    case 404:
      self.init(.noCoordinator, "there is no queue \(Topology.Queue.rejected): no coordinator has run on this broker")
    case AMQPError.accessRefusedCode:
      self.init(
        .brokerUnavailable, "the broker refuses a call of this user: \(text); use a user with the role \"operator\"")
    default: return nil
    }
  }
}
