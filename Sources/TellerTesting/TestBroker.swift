import AMQP
import Foundation
import JobModel
import JobTransport
import Teller

/// A virtual host that a test has for itself, and that is empty at the beginning.
struct TestBroker {
  /// The environment variable with the broker's URL.
  static let variable = "TELLER_TEST_BROKER_URL"
  /// How long a test waits for other processes that test on the same virtual host.
  static let patience: Duration = .seconds(300)

  /// Only one connection at a time may have it, and it goes with the connection.
  private static let place = "teller.testing"
  /// AMQP's codes: a queue is another connection's; it does not exist.
  private static let (locked, notFound): (UInt16, UInt16) = (405, 404)

  private let connection: Connection
  private let assignments: [JobQueue]

  /// Where the broker is: at that URL, or at the environment's.
  static func configuration(_ broker: String?) throws -> TellerConfiguration {
    guard let url = broker ?? ProcessInfo.processInfo.environment[variable], !url.isEmpty else {
      throw TestSystemError.noBroker
    }
    var configuration = try TellerConfiguration(broker: url)
    configuration.allowsPlaintext = true
    return configuration
  }

  /// Takes the virtual host for itself, and empties it.
  static func take(_ address: BrokerURL, _ handlers: [Department: [any JobHandler]]) async throws -> TestBroker {
    let connection = try await open(address)
    do {
      try await refuseCoordinator(at: address)
      let taken = TestBroker(connection: connection, assignments: queues(of: handlers))
      try await taken.empty()
      return taken
    } catch {
      await connection.close()
      throw error
    }
  }

  private static var options: ConnectionOptions {
    var options = ConnectionOptions(name: "teller test")
    options.heartbeat = TestSystem.patience / 2
    (options.handshakeTimeout, options.rpcTimeout) = (TestSystem.patience, TestSystem.patience)
    return options
  }

  /// A connection that has the place; waits for it.
  private static func open(_ address: BrokerURL) async throws -> Connection {
    var queue = QueueDeclaration(place)
    (queue.isDurable, queue.isExclusive) = (false, true)
    let deadline = ContinuousClock.now + patience
    var backOff = BackOff(first: .milliseconds(50), longest: .seconds(1))
    var generator = SystemRandomNumberGenerator()
    while true {
      let connection = try await Connection.open(address, options: options)
      do {
        _ = try await connection.declare(queue)
        return connection
      } catch {
        await connection.close()
        guard case .channelClosed(code: locked, _) = error else { throw error }
        guard ContinuousClock.now < deadline else { throw TestSystemError.stillTested(address.description) }
        try await Task.sleep(for: backOff.next(using: &generator))
      }
    }
  }

  /// - Throws: ``TestSystemError/brokerInUse(_:)`` when a coordinator serves the virtual host.
  private static func refuseCoordinator(at address: BrokerURL) async throws {
    // A question about a queue that is not there closes its connection.
    let connection = try await Connection.open(address, options: options)
    defer { Task { await connection.close() } }
    var queue = Topology.coordinatorQueue
    queue.isPassive = true
    do {
      let state = try await connection.declare(queue)
      if state.consumerCount > 0 { throw TestSystemError.brokerInUse(address.description) }
    } catch AMQPError.channelClosed(code: notFound, _) {}
  }

  /// Deletes every queue of a system that was here before, with its messages, and the claim of its ledger.
  private func empty() async throws {
    for queue in queues { try await connection.delete(queue: queue) }
    try await connection.delete(exchange: Topology.Exchange.ledger)
  }

  private var queues: [String] {
    Topology.queues.map(\.name) + [Topology.Queue.coordinator] + assignments.map(Topology.Queue.assignments)
  }

  /// The departments' queues, and those of the kinds, which a system has where not all workers have a handler.
  private static func queues(of handlers: [Department: [any JobHandler]]) -> [JobQueue] {
    handlers.flatMap { department, handlers in
      [JobQueue(department)] + handlers.map { JobQueue(department, kind: type(of: $0).kind) }
    }
  }

  /// Empties the virtual host again, and gives it to the next test.
  func giveBack() async {
    try? await empty()
    await connection.close()
  }
}
