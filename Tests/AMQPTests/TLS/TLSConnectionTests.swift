import Foundation
import TestSupport
import Testing

@testable import AMQP

/// What has its own ways over TLS: sends and reads go through OpenSSL's buffers, and ends come as errors of its own.
@Suite("An encrypted connection", .timeLimit(.minutes(10)))
struct TLSConnectionTests {
  @Test("bodies of all sizes arrive as they were, up to 1 MiB")
  func bodies() async throws {
    let connection = try await TLSBroker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    // Around the size of a TLS record, and of a frame.
    let sizes = [0, 1, 16_383, 16_384, 16_385, 131_064, 131_065, 300_000, 1 << 20]
    let bodies = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
    let messages = bodies.map { Publishing(exchange: "", routingKey: "q", body: $0) }
    #expect(try await connection.publish(contentsOf: messages) == sizes.map { _ in .confirmed })
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 100))
    let deliveries = try await take(sizes.count, from: consumer)
    #expect(deliveries.map(\.body) == bodies.map { .bytes($0) })
    await connection.close()
  }

  @Test("a flood of messages is confirmed, and consumed and acked while it is published")
  func flood() async throws {
    let broker = try await TLSBroker.make()
    let (publishing, consuming) = (try await broker.connect("publishing"), try await broker.connect("consuming"))
    try await publishing.declare(QueueDeclaration("q"))
    let count = 20_000
    let messages = (0..<count).map { Publishing(exchange: "", routingKey: "q", body: Array("\($0)".utf8)) }
    let consumer = try await consuming.consume("q", options: ConsumeOptions(prefetch: 1_000))
    let publish = Task { try await publishing.publish(contentsOf: messages) }
    let texts = try await limited("all of them") {
      var texts: [String?] = []
      while texts.count < count, let batch = await consumer.inbox.nextBatch(atMost: 500) {
        try await consuming.ack(contentsOf: batch.map(\.deliveryTag))
        texts += batch.map(\.text)
      }
      return texts
    }
    #expect(texts == (0..<count).map { "\($0)" })
    #expect(try await publish.value.allSatisfy { $0 == .confirmed })
    #expect(try await consuming.count(of: "q") == 0)
    await publishing.close()
    await consuming.close()
  }

  @Test("an address is as good as a name where the certificate is for it")
  func address() async throws {
    var url = try await TLSBroker.make().url
    url.host = "127.0.0.1"
    let connection = try await Broker(url: url).connect()
    try await connection.declare(QueueDeclaration("q"))
    await connection.close()
  }

  @Test("a wrong password is refused as such, and not taken for a certificate's fault")
  func wrongPassword() async throws {
    var url = try await TLSBroker.make().url
    url.password = "not the password"
    let error = await #expect(throws: AMQPError.self) { try await Broker(url: url).connect() }
    guard case .accessRefused = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
  }

  @Test("the socket is not inherited by child processes")
  func closesOnExec() async throws {
    let connection = try await TLSBroker.make().connect()
    let descriptor = try #require(await connection.handle?.descriptor)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    await connection.close()
  }

  @Test("connections that are made at the same time do not disturb each other, good ones and refused ones")
  func atTheSameTime() async throws {
    let good = try await TLSBroker.make()
    var url = good.url
    let others = try await Certificates()
    url.tls.caFile = others.path("ca.pem")
    let bad = Broker(url: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          if number.isMultiple(of: 4) {
            let problem = try await bad.problem()
            guard case .untrusted = problem else { throw Broker.UnexpectedEnd(error: nil) }
          } else {
            let connection = try await good.connect()
            try await connection.declare(QueueDeclaration("q\(number)"))
            try await connection.put("a", into: "q\(number)")
            await connection.close()
          }
        }
      }
      try await group.waitForAll()
    }
    withExtendedLifetime(others) {}
  }
}

/// One broker of its own, which is killed and frozen. More of this runs over TLS with `TELLER_TEST_BROKER_TLS`.
@Suite("An encrypted connection to a broker in trouble", .serialized, .timeLimit(.minutes(10)))
struct TLSFailureTests {
  private static let node = Task { try await BrokerNode.start(tls: .everybody) }

  @Test("a broker that is killed ends the connection, and what is then sent raises no signal")
  func killed() async throws {
    let node = try await Self.node.value
    let connection = try await TLSBroker.connect(node)
    let handle = try #require(await connection.handle)
    let signals = await ThreadSignals(of: connection)
    await signals.block(SIGPIPE)
    try await node.kill()
    let event = try await firstEvent(of: connection, named: "the end") { _ in true }
    guard case .closed(.connectionLost) = event else {
      Issue.record("not lost: \(String(describing: event))")
      return
    }
    // The first send is answered by a reset, and a later one fails.
    let failed = await signals.onThread {
      (0..<10_000).contains { _ in
        (try? handle.publish(Publishing(exchange: "", routingKey: "nobody", body: []), isTransient: true)) == nil
      }
    }
    #expect(failed)
    #expect(await !signals.isPending(SIGPIPE))
    // Until here: its thread ends with it.
    withExtendedLifetime(connection) {}
    try await node.start()
    let next = try await TLSBroker.connect(node)
    await next.close()
  }

  @Test("a frozen broker is noticed by its missing heartbeats")
  func frozen() async throws {
    let node = try await Self.node.value
    let connection = try await TLSBroker.connect(node) { $0.heartbeat = .seconds(10) }
    try await node.freeze()
    let event = try await firstEvent(of: connection, named: "the end") { _ in true }
    try await node.thaw()
    guard case .closed(.connectionLost(let reason)) = event else {
      Issue.record("not lost: \(String(describing: event))")
      return
    }
    #expect(reason.contains("heartbeat"))
  }

  @Test("a send that a frozen broker does not take is cut off at its time limit")
  func stuckSend() async throws {
    let node = try await Self.node.value
    try await BrokerInTrouble.expectSendCutOff(by: node, TLSBroker.connect)
  }
}

/// Signals of a connection's own thread. Blocked there, one that its system calls raise stays pending.
private struct ThreadSignals {
  private let thread: ConnectionThread

  init(of connection: Connection) async { thread = await connection.thread }

  func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      thread.call { continuation.resume(returning: body()) }
    }
  }

  func block(_ signal: Int32) async {
    await onThread {
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, signal)
      pthread_sigmask(SIG_BLOCK, &set, nil)
    }
  }

  func isPending(_ signal: Int32) async -> Bool {
    await onThread {
      var set = sigset_t()
      sigpending(&set)
      return sigismember(&set, signal) == 1
    }
  }
}
