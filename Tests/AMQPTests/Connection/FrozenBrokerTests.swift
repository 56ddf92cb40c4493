import TestSupport
import Testing

@testable import AMQP

/// One broker of its own, which is frozen until limits of time have passed.
@Suite("A frozen broker", .serialized, .timeLimit(.minutes(10)))
struct FrozenBrokerTests {
  private static let node = Task { try await BrokerInTrouble.start() }

  /// What a connection does while its broker is frozen.
  private enum Use: CaseIterable {
    case nothing
    /// It is called far more often than it looks at the socket by itself.
    case called
    /// Its thread never waits for long, and what is sent is too little to fill the socket's buffer.
    case publishing

    func once(_ connection: Connection) async throws {
      switch self {
      case .nothing: try await Task.sleep(for: .seconds(3_600))
      case .called:
        _ = await connection.isBlocked
        try await Task.sleep(for: .milliseconds(20))
      case .publishing:
        try await connection.publish(TransientPublishing(exchange: "", routingKey: "nobody", body: []))
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  @Test("is noticed by its missing heartbeats, also by a connection that is called often, and by one that publishes")
  func heartbeats() async throws {
    let node = try await Self.node.value
    // Long enough for both sides to keep it on a busy machine until the broker is frozen.
    var connections: [(use: Use, connection: Connection)] = []
    for use in Use.allCases {
      connections.append((use, try await BrokerInTrouble.connect(node) { $0.heartbeat = .seconds(10) }))
    }
    try await node.freeze()
    let ended = await Task { [connections] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (use, connection) in connections { group.addTask { try await end(of: connection, used: use) } }
        try await group.waitForAll()
      }
    }.result
    // Also when they have not: the next test has the same broker.
    try await node.thaw()
    try ended.get()
  }

  private func end(of connection: Connection, used use: Use) async throws {
    let using = Task { while !Task.isCancelled { try await use.once(connection) } }
    let event = try await firstEvent(of: connection, named: "the end, \(use)") { _ in true }
    using.cancel()
    _ = await using.result
    guard case .closed(.connectionLost(let reason)) = event else {
      Issue.record("\(use): not lost: \(String(describing: event))")
      return
    }
    #expect(reason.contains("heartbeat"), "\(use)")
  }

  @Test("does not answer a request, which runs out of time, by its name")
  func unanswered() async throws {
    let node = try await Self.node.value
    // It holds for opening the channel too, before the broker is frozen.
    let connection = try await BrokerInTrouble.connect(node) { $0.rpcTimeout = .seconds(20) }
    try await node.freeze()
    let error = await #expect(throws: AMQPError.self) { try await connection.declare(QueueDeclaration("orders")) }
    try await node.thaw()
    #expect(error == .timedOut(operation: "declaring queue 'orders'"))
  }

  @Test("does not take a send, which is cut off at its time limit")
  func stuckSend() async throws {
    let node = try await Self.node.value
    try await BrokerInTrouble.expectSendCutOff(by: node, BrokerInTrouble.connect)
  }
}
