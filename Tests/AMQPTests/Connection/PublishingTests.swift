import TestSupport
import Testing

@testable import AMQP

@Suite("Publishing to the broker", .timeLimit(.minutes(10)))
struct PublishingTests {
  @Test("an unroutable publish is reported as returned, and the others of its batch as confirmed")
  func returned() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    let keys = ["q", "nobody", "q", "nobody", "nothing"]
    let results = try await connection.publish(contentsOf: keys.map { Self.message(to: $0) })
    let isReturned = results.map { result in
      guard case .returned(code: 312, _) = result else { return false }
      return true
    }
    #expect(isReturned == [false, true, false, true, true])
    #expect(results[0] == .confirmed && results[2] == .confirmed)
    #expect(try await connection.count(of: "q") == 2)
    await connection.close()
  }

  @Test("a nacked publish is reported as nacked")
  func nacked() async throws {
    let connection = try await Broker.make().connect()
    var arguments = QueueArguments(type: .classic)
    arguments.maxLength = 1
    arguments.overflow = .rejectPublish
    try await connection.declare(QueueDeclaration("full", arguments: arguments))
    #expect(try await connection.publish(Self.message(to: "full")) == .confirmed)
    // The broker allows a full queue one more message before it refuses.
    let results = try await connection.publish(contentsOf: Array(repeating: Self.message(to: "full"), count: 5))
    #expect(results.suffix(3) == [.nacked, .nacked, .nacked])
    await connection.close()
  }

  @Test("a batch far larger than the window is confirmed in its order, and never exceeds the window")
  func backPressure() async throws {
    let connection = try await Broker.make().connect {
      $0.unconfirmedMessages = 16
      $0.unconfirmedBytes = 4096
    }
    try await connection.declare(QueueDeclaration("q"))
    let messages = (0..<2000).map { Self.message(to: "q", body: "\($0)") }
    let batch = Task { try await connection.publish(contentsOf: messages) }
    let single = Task { try await connection.publish(Self.message(to: "q", body: "last")) }
    let seen = try await limited("the window while it is full") {
      var highest = 0
      while try await connection.count(of: "q") < 1000 { highest = max(highest, await connection.outstandingMessages) }
      return highest
    }
    #expect(seen <= 16)
    #expect(try await batch.value == Array(repeating: .confirmed, count: 2000))
    #expect(try await single.value == .confirmed)
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 3000))
    let texts = try await take(2001, from: consumer).map(\.text)
    #expect(texts.filter { $0 != "last" } == (0..<2000).map { "\($0)" })
    await connection.close()
  }

  @Test("a message larger than the window goes alone")
  func largerThanTheWindow() async throws {
    let connection = try await Broker.make().connect { $0.unconfirmedBytes = 1000 }
    try await connection.declare(QueueDeclaration("q"))
    let large = Publishing(exchange: "", routingKey: "q", body: [UInt8](repeating: 1, count: 400_000))
    let results = try await connection.publish(contentsOf: [large, Self.message(to: "q"), large])
    #expect(results == [.confirmed, .confirmed, .confirmed])
    await connection.close()
  }

  @Test("what cannot be sent is refused before anything is sent, and the connection goes on")
  func invalid() async throws {
    let connection = try await Broker.make().connect()
    try await connection.declare(QueueDeclaration("q"))
    let bad = Publishing(exchange: "", routingKey: String(repeating: "k", count: 256), body: [])
    await #expect(throws: AMQPError.self) { try await connection.publish(contentsOf: [Self.message(to: "q"), bad]) }
    await #expect(throws: AMQPError.self) { try await connection.declare(QueueDeclaration(bad.routingKey)) }
    #expect(try await connection.count(of: "q") == 0)
    #expect(try await connection.publish(contentsOf: []).isEmpty)
    try await connection.put("a", into: "q")
    await connection.close()
  }

  @Test("publishing to a missing exchange ends the connection, and every publish on it says so")
  func missingExchange() async throws {
    let connection = try await Broker.make().connect()
    let missing = Publishing(exchange: "missing", routingKey: "k", body: [])
    let messages = Array(repeating: missing, count: 100)
    let error = await #expect(throws: AMQPError.self) { try await connection.publish(contentsOf: messages) }
    guard case .channelClosed(code: 404, let text) = error else {
      Issue.record("not the broker's reason: \(String(describing: error))")
      return
    }
    #expect(text.contains("missing"))
    let closed = try await firstEvent(of: connection, named: "the end of the connection") { _ in true }
    #expect(closed == .closed(.channelClosed(code: 404, text: text)))
    await #expect(throws: AMQPError.channelClosed(code: 404, text: text)) { try await connection.publish(missing) }
  }

  @Test("every message names the connection's user, whatever it says itself, unless the connection leaves that to it")
  func user() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q"))
    var message = Publishing(exchange: "", routingKey: "q", properties: MessageProperties(userID: "another"), body: [])
    #expect(try await connection.publish(message) == .confirmed)
    try await connection.publish(TransientPublishing(exchange: "", routingKey: "q", body: []))
    let plain = try await broker.connect { $0.namesUser = false }
    message.properties.userID = nil
    #expect(try await plain.publish(message) == .confirmed)
    let deliveries = try await take(3, from: connection.consume("q", options: ConsumeOptions(prefetch: 3)))
    #expect(deliveries.map(\.properties.userID) == [broker.url.user, broker.url.user, nil])
    message.properties.userID = "another"
    let result = try await plain.publish(message)
    guard case .refused(code: 406, _) = result else {
      Issue.record("\(result)")
      return
    }
    for open in [connection, plain] { await open.close() }
  }

  @Test("publishes without a confirm throw when the connection is closed, and later calls say that it was")
  func closing() async throws {
    let connection = try await Broker.make().connect { $0.unconfirmedMessages = 1 }
    try await connection.declare(QueueDeclaration("q"))
    let many = Task { try await connection.publish(contentsOf: Array(repeating: Self.message(to: "q"), count: 50_000)) }
    try await eventually("publishing has begun", within: patience) { await connection.outstandingMessages > 0 }
    await connection.close()
    let error = await #expect(throws: AMQPError.self) { try await many.value }
    guard case .connectionLost = error else {
      Issue.record("not lost: \(String(describing: error))")
      return
    }
    await #expect(throws: AMQPError.closed) { try await connection.publish(Self.message(to: "q")) }
    await connection.close()
    let last = try await firstEvent(of: connection, named: "the end") { _ in true }
    #expect(last == .closed(nil))
  }

  static func message(to queue: String, body: String = "body") -> Publishing {
    Publishing(exchange: "", routingKey: queue, body: Array(body.utf8))
  }
}

extension Connection {
  var outstandingMessages: Int { confirms.outstandingMessages }
}
