import Foundation
import TestSupport
import Testing

@testable import AMQP

@Suite("Connecting to the broker", .timeLimit(.minutes(10)))
struct ConnectingTests {
  @Test("a wrong password is refused as such")
  func wrongPassword() async throws {
    var url = try await Broker.make().url
    url.password = "not the password"
    let error = await #expect(throws: AMQPError.self) { try await Broker(url: url).connect() }
    guard case .accessRefused(let reason) = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(reason.contains("ACCESS_REFUSED") && !reason.contains(url.password))
    #expect(error?.isTransient == false)
  }

  @Test("a missing virtual host is refused by its name")
  func wrongVirtualHost() async throws {
    var url = try await Broker.make().url
    url.virtualHost = "no-such-vhost"
    let error = await #expect(throws: AMQPError.self) { try await Broker(url: url).connect() }
    guard case .accessRefused(let reason) = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(reason.contains("no-such-vhost"))
  }

  @Test("an address where nobody listens is named in the error, and trying again may help")
  func nobodyListens() async throws {
    // Held, so that it is nobody else's meanwhile.
    let closed = try SilentServer(isListening: false)
    let port = closed.port
    let url = BrokerURL(host: "127.0.0.1", port: port)
    let error = await #expect(throws: AMQPError.self) { try await Broker(url: url).connect() }
    guard case .cannotConnect(host: "127.0.0.1", port: port, _) = error else {
      Issue.record("not unreachable: \(String(describing: error))")
      return
    }
    #expect(error?.isTransient == true)
    withExtendedLifetime(closed) {}
  }

  @Test("a socket that accepts and says nothing runs into the handshake's time limit")
  func silence() async throws {
    let server = try SilentServer()
    let url = BrokerURL(host: "127.0.0.1", port: server.port)
    let error = await #expect(throws: AMQPError.self) {
      try await Broker(url: url).connect { $0.handshakeTimeout = .seconds(1) }
    }
    guard case .handshake(let reason) = error else {
      Issue.record("not a handshake: \(String(describing: error))")
      return
    }
    #expect(reason.contains("time"))
    withExtendedLifetime(server) {}
  }

  @Test("the socket is not inherited by child processes")
  func closesOnExec() async throws {
    let connection = try await Broker.make().connect()
    let descriptor = try #require(await connection.handle?.descriptor)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    await connection.close()
  }

  @Test("a connection that nobody holds any more ends, and so do its readers")
  func endsWithItsLastReference() async throws {
    let broker = try await Broker.make()
    let watcher = try await broker.connect("watcher")
    try await watcher.declare(QueueDeclaration("q"))
    var connection: Connection? = try await broker.connect("dropped")
    let consumer = try #require(try await connection?.consume("q", options: ConsumeOptions(prefetch: 1)))
    #expect(try await watcher.declare(QueueDeclaration("q")).consumerCount == 1)
    connection = nil
    #expect(try await take(1, from: consumer).isEmpty)
    try await eventually("the broker has noticed", within: patience) {
      try await watcher.declare(QueueDeclaration("q")).consumerCount == 0
    }
    await watcher.close()
  }

  @Test("two hundred connections one after the other leave neither sockets nor threads behind")
  func leavesNothingBehind() async throws {
    let broker = try await Broker.make()
    var left: [Remains] = []
    for _ in 0..<200 {
      let connection = try await broker.connect()
      let (socket, thread) = try await connection.belongings()
      left.append(Remains(socket: socket, thread: thread))
      await connection.close()
    }
    try await eventually(
      "nothing is left of them", within: patience, lastState: { "something is left of \(left.count)" }
    ) {
      let open = Set(try OpenDescriptors.targets())
      left.removeAll { !open.contains($0.socket) && $0.thread == nil }
      return left.isEmpty
    }
  }

  @Test("a broker that closes the connection is quoted, in an event and in every call")
  func closedByTheBroker() async throws {
    let connection = try await Broker.make().connect()
    let exchange = ExchangeDeclaration("ex", kind: .named("no-such-kind"))
    let error = await #expect(throws: AMQPError.self) { try await connection.declare(exchange) }
    let text: String
    switch error {
    // 3.10 closes the connection over it, later versions the channel.
    case .connectionClosed(code: 503, text: let given), .channelClosed(code: 406, text: let given): text = given
    default:
      Issue.record("not the broker's reason: \(String(describing: error))")
      return
    }
    #expect(text.contains("no-such-kind"))
    let event = try await firstEvent(of: connection, named: "the end of the connection") { _ in true }
    #expect(event == .closed(error))
    let reason = try #require(error)
    await #expect(throws: reason) { try await connection.publish(PublishingTests.message(to: "q")) }
  }
}

/// What must go with a connection. The thread has the wake pipe, which closes its descriptors with itself.
private struct Remains {
  let socket: String
  weak var thread: ConnectionThread?
}

extension Connection {
  fileprivate func belongings() throws -> (socket: String, thread: ConnectionThread) {
    (try OpenDescriptors.target(of: openHandle().descriptor), thread)
  }
}
