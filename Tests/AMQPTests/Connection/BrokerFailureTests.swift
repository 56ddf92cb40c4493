import TestSupport
import Testing

@testable import AMQP

/// One broker of its own, which is blocked, killed and frozen. What waits for limits of time is in `FrozenBrokerTests`.
@Suite("A broker in trouble", .serialized, .timeLimit(.minutes(10)))
struct BrokerFailureTests {
  private static let node = Task { try await BrokerInTrouble.start() }

  @Test("while the broker is short of memory, publishing waits and requests do not run out of time")
  func blocked() async throws {
    let node = try await Self.node.value
    let connection = try await BrokerInTrouble.connect(node)
    try await connection.declare(QueueDeclaration("q"))
    // The broker tells only those who publish.
    let publishing = Task {
      while !Task.isCancelled { try await connection.put("before", into: "q") }
    }
    try await node.ctl("set_vm_memory_high_watermark", "0")
    let event = try await firstEvent(of: connection, named: "blocked") { _ in true }
    publishing.cancel()
    guard case .blocked = event else {
      Issue.record("not blocked: \(String(describing: event))")
      return
    }
    #expect(await connection.isBlocked)
    let publish = Task { try await connection.publish(PublishingTests.message(to: "q")) }
    let count = Task { try await connection.declare(QueueDeclaration("q")) }
    try await eventually("a message and a request wait", within: patience) {
      await connection.hasMessageAndRequestWaiting
    }
    await connection.useUpTheTimeOfRequests()
    // One message may have been on its way when the broker stopped reading.
    #expect(await connection.outstandingMessages <= 1)
    #expect(await connection.isBlocked)
    try await node.ctl("set_vm_memory_high_watermark", "0.6")
    #expect(try await publish.value == .confirmed)
    #expect(try await count.value.messageCount >= 1)
    #expect(await !connection.isBlocked)
    try await publishing.value
    await connection.close()
  }

  @Test("a broker that is killed ends the connection for everyone who waits on it")
  func killed() async throws {
    let node = try await Self.node.value
    let connection = try await BrokerInTrouble.connect(node)
    try await connection.declare(QueueDeclaration("q"))
    // Confirmed: what is delivered need not be on disk yet.
    try await connection.put("kept", into: "q")
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let publishing = Task {
      while true { _ = try await connection.publish(PublishingTests.message(to: "q")) }
    }
    #expect(try await take(1, from: consumer).count == 1)
    try await node.kill()
    let error = await #expect(throws: AMQPError.self) { try await publishing.value }
    guard case .connectionLost = error else {
      Issue.record("not lost: \(String(describing: error))")
      return
    }
    #expect(error?.isTransient == true)
    #expect(try await firstEvent(of: connection, named: "the end") { _ in true } == .closed(error))
    #expect(try await take(1, from: consumer).isEmpty)
    await #expect(throws: AMQPError.self) { try await BrokerInTrouble.connect(node) }
    try await node.start()
    let next = try await BrokerInTrouble.connect(node)
    #expect(try await next.count(of: "q") >= 1)
    await next.close()
  }

  @Test("a message that may be lost is sent although a frozen broker confirms nothing; what is to be confirmed waits")
  func transientBesideUnconfirmed() async throws {
    let node = try await Self.node.value
    let connection = try await BrokerInTrouble.connect(node) { $0.unconfirmedMessages = 1 }
    try await connection.declare(QueueDeclaration("q"))
    try await node.freeze()
    let confirmed = (0..<2).map { _ in Task { try await connection.publish(PublishingTests.message(to: "q")) } }
    try await eventually("one message is sent, and one waits", within: patience) {
      await connection.hasFullWindow
    }
    let sent = Task { try await connection.publish(TransientPublishing(exchange: "", routingKey: "nobody", body: [])) }
    try await eventually("the one that may be lost is sent", within: patience) {
      await connection.outstandingMessages == 2
    }
    try await sent.value
    try await node.thaw()
    for task in confirmed { #expect(try await task.value == .confirmed) }
    await connection.close()
  }

  @Test("nothing is published while a long silence may end the connection at any moment; what comes ends the silence")
  func silent() async throws {
    let node = try await Self.node.value
    let connection = try await BrokerInTrouble.connect(node)
    try await connection.declare(QueueDeclaration("q"))
    try await node.freeze()
    await connection.fallSilent()
    let publish = Task { try await connection.publish(PublishingTests.message(to: "q")) }
    let request = Task { try await connection.declare(QueueDeclaration("q")) }
    let waits = await Task {
      try await eventually("the message waits, the request is sent", within: patience) {
        await connection.hasMessageAndRequestWaiting
      }
    }.result
    #expect(await connection.outstandingMessages == 0)
    try await node.thaw()
    try waits.get()
    _ = try await request.value
    #expect(try await publish.value == .confirmed)
    await connection.close()
  }

  @Test("a heartbeat ends the silence, though nothing else comes")
  func heartbeat() async throws {
    let connection = try await BrokerInTrouble.connect(try await Self.node.value) { $0.heartbeat = .seconds(30) }
    await connection.fallSilent()
    try await limited("the message is sent") {
      try await withTaskCancellationHandler {
        try await connection.publish(TransientPublishing(exchange: "", routingKey: "nobody", body: []))
      } onCancel: {
        Task { await connection.close() }
      }
    }
    await connection.close()
  }

  @Test("closing a connection to a frozen broker ends all the same")
  func closingFrozen() async throws {
    let node = try await Self.node.value
    let connection = try await BrokerInTrouble.connect(node)
    try await node.freeze()
    await connection.close()
    try await node.thaw()
    await #expect(throws: AMQPError.closed) { try await connection.declare(QueueDeclaration("q")) }
  }
}

extension Connection {
  fileprivate var hasFullWindow: Bool { confirms.outstandingMessages == 1 && !confirms.canSend }
  fileprivate var hasMessageAndRequestWaiting: Bool { confirms.canSend && requests.first != nil }

  /// As if the broker had been silent for almost as long as it may be.
  fileprivate func fallSilent() {
    let (heartbeat, margin) = (silence.heartbeat, silence.margin)
    silence = Silence(heartbeat: heartbeat, margin: margin, since: .now - heartbeat * 2)
  }

  /// As if the broker had been silent for as long as requests may take.
  fileprivate func useUpTheTimeOfRequests() { requests.postpone(to: .now) }
}

/// A broker that is to be harmed, by whatever connection is tested.
enum BrokerInTrouble {
  static func start() async throws -> BrokerNode {
    try await BrokerNode.start(tls: Broker.usesTLS ? .everybody : nil)
  }

  static func connect(
    _ node: BrokerNode, _ change: (inout ConnectionOptions) -> Void = { _ in }
  ) async throws -> Connection {
    if Broker.usesTLS { return try await TLSBroker.connect(node, change) }
    return try await Broker(url: BrokerURL(node.url)).connect("failure", change)
  }

  /// Sends far more than a frozen broker takes.
  static func expectSendCutOff(
    by node: BrokerNode, _ connect: (BrokerNode, (inout ConnectionOptions) -> Void) async throws -> Connection
  ) async throws {
    let connection = try await connect(node) {
      // It holds for what is sent before the broker is frozen too.
      $0.sendTimeout = .seconds(10)
      $0.unconfirmedBytes = 1 << 30
    }
    try await connection.declare(QueueDeclaration("q"))
    let large = Publishing(exchange: "", routingKey: "q", body: [UInt8](repeating: 0, count: 1 << 20))
    // The first of its size goes alone: many of them fill the socket only once the broker has taken one.
    #expect(try await connection.publish(large) == .confirmed)
    try await node.freeze()
    let error = await #expect(throws: AMQPError.self) {
      try await connection.publish(contentsOf: Array(repeating: large, count: 64))
    }
    try await node.thaw()
    #expect(error == .sendTimedOut)
  }
}
