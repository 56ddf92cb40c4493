import BrokerSupport
import JobModel
import Logging
import Synchronization
import TestSupport
import Testing

@testable import AMQP
@testable import JobTransport

/// A session and a broker in trouble. The broker is this suite's own.
@Suite("A session with the broker", .serialized, .timeLimit(.minutes(10)))
struct BrokerSessionTests {
  /// What a body is told to do, one round after the other, and what the session logs.
  private let log = LogRecord()

  private func session(_ url: String, _ options: BrokerSessionOptions = .init()) throws -> BrokerSession {
    var options = options
    options.connections = .patient()
    return BrokerSession(url: try BrokerURL(url), name: "test session", logger: log.logger, options: options)
  }

  @Test("a session ends when its body returns, and its connections are closed")
  func ends() async throws {
    let session = try session(try await BrokerNode.shared.makeVirtualHost())
    let seen = Mutex<BrokerConnections?>(nil)
    #expect(session.state == .lost)
    try await session.run { connections in
      #expect(session.state == .connected)
      seen.withLock { $0 = connections }
    }
    #expect(session.state == .lost)
    let connections = try #require(seen.withLock { $0 })
    await #expect(throws: AMQPError.closed) { try await connections.consuming.declare(QueueDeclaration("q")) }
    await #expect(throws: AMQPError.closed) { try await connections.publishing.declare(QueueDeclaration("q")) }
  }

  @Test("what the body throws ends the session when the broker is not the reason")
  func bodyThrows() async throws {
    struct Mistake: Error {}
    let session = try session(try await BrokerNode.shared.makeVirtualHost())
    await #expect(throws: Mistake.self) { try await session.run { _ in throw Mistake() } }
  }

  @Test("a session finds the node that answers, and says which did not, without the password")
  func severalAddresses() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    // Nobody listens on these.
    let dead = [BrokerAddress(host: "127.0.0.1", port: 1), BrokerAddress(host: "127.0.0.1", port: 2)]
    for _ in 0..<8 {
      url.others = dead
      var options = BrokerSessionOptions()
      options.backOff = BackOff(first: .seconds(3600), longest: .seconds(3600))
      (options.connections, options.firstRoundLimit) = (.patient(), patience)
      let session = BrokerSession(url: url, name: "test session", logger: log.logger, options: options)
      // Were it to wait before all have been asked, it would not end.
      try await limited("a session on one of three nodes") {
        try await session.run { connections in
          _ = try await connections.publishing.declare(QueueDeclaration("q"))
        }
      }
    }
    #expect(!log.text.contains(url.password))
    let unreachable = log.text.contains("broker not reachable: 127.0.0.1:")
    #expect(unreachable == log.text.contains("trying the next address"))
  }

  @Test("a wrong password ends the session at once, and is not logged")
  func wrongPassword() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    url.password = "not-the-secret"
    let session = BrokerSession(url: url, name: "test session", logger: log.logger)
    let error = await #expect(throws: AMQPError.self) { try await session.run { _ in } }
    guard case .accessRefused? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!log.text.contains("not-the-secret"))
  }

  @Test("a queue that exists with other arguments ends a session that has just begun")
  func inequivalent() async throws {
    struct TriedAgain: Error {
      let after: Duration
    }
    let url = try await BrokerNode.shared.makeVirtualHost()
    let rejected = try #require(Topology.queues.first { $0.name == "teller.rejected" })
    let other = try await Broker(url: try BrokerURL(url)).connect()
    _ = try await other.declare(QueueDeclaration(rejected.name))
    let refusal = await #expect(throws: AMQPError.self) { try await Topology.declareAll(on: other, departments: []) }
    #expect(refusal?.isInequivalence == true, "\(String(describing: refusal))")

    let session = try session(url)
    let rounds = Rounds()
    let start = ContinuousClock.now
    let error = await #expect(throws: (any Error).self) {
      try await session.run { connections in
        guard rounds.begin() == 0 else { throw TriedAgain(after: ContinuousClock.now - start) }
        _ = try await connections.consuming.declare(rejected)
      }
    }
    if let again = error as? TriedAgain {
      // Right only for a session that the machine has kept busy for so long that it has not just begun.
      #expect(again.after >= Recovery.stableAfter)
    } else {
      #expect((error as? AMQPError)?.isInequivalence == true, "\(String(describing: error))")
    }
  }

  @Test("a session that was ready goes on when the broker refuses something, however young it is")
  func refusedOnceReady() async throws {
    let session = try session(try await BrokerNode.shared.makeVirtualHost())
    let rounds = Rounds()
    try await limited("two rounds") {
      try await session.run { connections in
        guard rounds.begin() == 0 else { return }
        session.becameReady()
        // As a queue's name reads that was damaged on its way.
        _ = try await connections.consuming.consume("teller.depbrtment", options: ConsumeOptions(prefetch: 1))
      }
    }
    #expect(rounds.count == 2 && log.count(of: "broker lost") == 1)
  }

  @Test("a session with a limit gives up when nobody listens, with the last error")
  func givesUp() async throws {
    let session = try session("amqp://127.0.0.1:1/", BrokerSessionOptions(giveUpAfter: .milliseconds(500)))
    let error = await #expect(throws: AMQPError.self) { try await session.run { _ in } }
    guard case .cannotConnect? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(log.count(of: "trying again") == 1)
  }

  @Test("a session that is cancelled ends, while nobody listens and while its body waits")
  func cancelled() async throws {
    let (away, here) = (
      try session("amqp://127.0.0.1:1/"), try session(try await BrokerNode.shared.makeVirtualHost())
    )
    let waiting = Task { try await away.run { _ in } }
    try await eventually("a session waits", within: patience) { log.count(of: "trying again") == 1 }
    waiting.cancel()
    let end = try await limited("the end of a session that waits") { await waiting.result }
    #expect(throws: CancellationError.self) { try end.get() }
    let rounds = Rounds()
    let running = Task { try await here.run { try await rounds.take($0) } }
    try await rounds.next()
    running.cancel()
    let result = try await limited("the end of a session that runs") { await running.result }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(here.state == .lost)
  }

  @Test("when a queue that is consumed is deleted, the body runs again with new connections")
  func consumerCancelled() async throws {
    let session = try session(try await BrokerNode.shared.makeVirtualHost())
    let rounds = Rounds()
    try await limited("two rounds") {
      try await session.run { connections in
        guard rounds.begin() == 0 else { return }
        _ = try await connections.consuming.declare(QueueDeclaration("q"))
        let consumer = try await connections.consuming.consume("q", options: ConsumeOptions(prefetch: 1))
        try await connections.publishing.delete(queue: "q")
        // Ends because its queue is gone; a body that simply returns then is no body that is done.
        for await _ in consumer {}
      }
    }
    #expect(rounds.count == 2)
    #expect(log.count(of: "broker lost") == 1 && log.count(of: "broker back after") == 1)
  }

  @Test("a session has two connections, and one more for reports and one for what producers send if it is asked for")
  func roles() async throws {
    for (readsApart, expected) in [
      (false, ["consuming", "publishing"]), (true, ["consuming", "recording", "intake", "publishing"]),
    ] {
      let url = try await BrokerNode.shared.makeVirtualHost()
      let session = try session(url, BrokerSessionOptions(readsApart: readsApart))
      try await session.run { connections in
        #expect(connections.all.map(\.role.rawValue) == expected)
        #expect((connections.recording === connections.consuming) == !readsApart)
        #expect((connections.intake === connections.consuming) == !readsApart)
        #expect(connections.publishing !== connections.consuming)
        let listed = try await listedConnections(of: url)
        #expect(Set(listed.keys) == Set(expected.map { "test session \($0)" }))
        // Each of them is good for what it is there for.
        try await connections.consuming.declare(QueueDeclaration("q"))
        let publishing = Publishing(exchange: "", routingKey: "q", body: [1])
        #expect(try await connections.publishing.publish(publishing) == .confirmed)
        let consumer = try await connections.recording.consume("q", options: ConsumeOptions(prefetch: 1))
        let delivery = try await limited("a report") { await consumer.nextBatch(atMost: 1)?.first }
        try await connections.recording.ack(try #require(delivery).deliveryTag)
      }
    }
  }

  @Test(
    "a session whose broker closes one of its connections begins anew with others",
    arguments: BrokerConnections.Role.allCases)
  func oneIsClosed(role: BrokerConnections.Role) async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let session = try session(url, BrokerSessionOptions(readsApart: true))
    let rounds = Rounds()
    let running = Task { try await session.run { try await rounds.take($0) } }
    try await rounds.next()
    let first = try #require(rounds.current())
    let connection = try #require(try await listedConnections(of: url)["test session \(role.rawValue)"])
    try await BrokerNode.shared.ctl("close_connection", connection, "a test")
    try await rounds.next()
    let second = try #require(rounds.current())
    #expect(log.count(of: "broker lost") == 1 && session.state == .connected)
    for (_, old) in first.all {
      await #expect(throws: AMQPError.self) { try await old.declare(QueueDeclaration("q")) }
      #expect(second.all.allSatisfy { $0.connection !== old })
    }
    running.cancel()
    _ = await running.result
  }

  /// The processes of the broker for the connections of a virtual host, by their names.
  private func listedConnections(of url: String) async throws -> [String: String] {
    let virtualHost = try BrokerURL(url).virtualHost
    let list = try await BrokerNode.shared.ctl("list_connections", "--quiet", "pid", "vhost", "client_properties")
    return list.split(separator: "\n").reduce(into: [:]) { found, line in
      let columns = line.split(separator: "\t")
      guard columns.count == 3, columns[1] == virtualHost else { return }
      if let name = columns[2].firstMatch(of: /test session [a-z]+/) { found[String(name.output)] = String(columns[0]) }
    }
  }

  @Test("a session comes back when the broker closes its connections, is killed, or is stopped, and logs once each")
  func comesBack() async throws {
    let node = try await BrokerNode.start()
    let session = try session(node.url)
    let rounds = Rounds()
    let running = Task { try await session.run { try await rounds.take($0) } }
    try await rounds.next()

    try await node.ctl("close_all_connections", "a test")
    try await rounds.next()
    #expect(log.count(of: "broker lost") == 1)

    try await node.kill()
    try await state(of: session, becomes: .lost)
    try await node.start()
    try await rounds.next()
    #expect(session.state == .connected)

    try await node.stop()
    try await state(of: session, becomes: .lost)
    try await node.start()
    try await rounds.next()
    #expect(log.count(of: "broker lost") == 3 && log.count(of: "broker back after") == 3)

    running.cancel()
    _ = await running.result
    try await node.close()
  }

  @Test("an alarm of the broker is told as blocked, and its end as connected")
  func blocked() async throws {
    let node = try await BrokerNode.start()
    let session = try session(node.url)
    let rounds = Rounds()
    let running = Task { try await session.run { try await rounds.take($0) } }
    try await rounds.next()
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    // The broker tells a connection at the first message that it publishes after the alarm is known everywhere.
    let publishing = Task {
      let connection = try #require(rounds.current()?.publishing)
      while !Task.isCancelled {
        _ = try await connection.publish(Publishing(exchange: "", routingKey: "q", body: []))
      }
    }
    try await state(of: session, becomes: .blocked)
    try await node.ctl("set_vm_memory_high_watermark", "0.4")
    try await state(of: session, becomes: .connected)
    publishing.cancel()
    try await publishing.value
    running.cancel()
    _ = await running.result
    try await node.close()
  }

  @Test("a session that is cancelled ends even while the broker takes nothing")
  func cancelledWhileBlocked() async throws {
    let node = try await BrokerNode.start()
    var options = BrokerSessionOptions()
    options.cancellationLimit = .milliseconds(100)
    let session = try session(node.url, options)
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    let running = Task {
      try await session.run { connections in
        while true {
          _ = try await connections.publishing.publish(Publishing(exchange: "", routingKey: "q", body: []))
        }
      }
    }
    try await state(of: session, becomes: .blocked)
    running.cancel()
    let result = try await limited("the end of a blocked session") { await running.result }
    #expect(throws: CancellationError.self) { try result.get() }
    try await node.close()
  }

  private func state(of session: BrokerSession, becomes expected: BrokerState) async throws {
    try await eventually("the state \(expected)", within: patience, lastState: { "\(session.state)" }) {
      session.state == expected
    }
  }
}

extension AMQPError {
  fileprivate var isInequivalence: Bool {
    guard case .channelClosed(code: 406, text: _) = self else { return false }
    return true
  }
}
