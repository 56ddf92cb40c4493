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
  static let patience = RejectedVisit.patience

  private let visit: RejectedVisit

  /// - Throws: `ConfigurationError`.
  init(_ global: GlobalOptions) throws {
    let settings = try global.connectionSettings()
    try settings.checkEncryption()
    visit = RejectedVisit(settings.brokerURL, name: "teller rejected")
  }

  /// Takes messages, runs the body with them, and gives back the messages that the body leaves.
  ///
  /// - Throws: the body's errors; `Failure`; `AMQPError`.
  func messages<Value: Sendable>(
    atMost limit: Int = RejectedQueue.mostMessages,
    _ body: @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Value
  ) async throws -> Value {
    do {
      return try await visit.messages(atMost: limit, body)
    } catch let error as AMQPError where error.saysQueueIsInUse {
      throw Failure(.noCoordinator, "another program reads \(Topology.Queue.rejected); try again when it has ended")
    } catch {
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
