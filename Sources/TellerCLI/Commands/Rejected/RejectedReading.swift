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
    let settings = try global.settings().broker
    try settings.checkEncryption()
    broker = settings.brokerURL
  }

  /// How many messages the queue has.
  func count() async throws -> Int { try await visit { try await $0.count() } }

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
    let queue = try await RejectedQueue.open(broker, name: "teller rejected")
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
  fileprivate init?(ofRejected error: any Error) {
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

/// Finds messages by their ids.
enum RejectedSelection {
  /// The messages with these ids, in the order of the queue. Messages that are equal byte for byte have one id, and are
  /// chosen together.
  ///
  /// - Throws: `Failure` when an id names no message, or several different ones.
  static func messages(_ ids: [RejectedID], of all: [RejectedMessage]) throws -> [RejectedMessage] {
    var chosen = Set<String>()
    for id in ids {
      let found = Set(all.lazy.map(\.id).filter { $0.hasPrefix(id.text) })
      guard let only = found.first else {
        throw Failure(.unknownJob, "teller.rejected has no message \(id.text); `teller rejected` lists them")
      }
      if found.count > 1 {
        let names = found.sorted().joined(separator: ", ")
        throw Failure(.usage, "\(id.text) is the beginning of several ids: \(names); write one of them whole")
      }
      chosen.insert(only)
    }
    return all.filter { chosen.contains($0.id) }
  }
}
