import TestSupport
import Testing

@testable import AMQP

@Suite("Messages that are meant to hurt", .timeLimit(.minutes(10)))
struct HostileMessagesTests {
  private static let headersFlag: UInt16 = 1 << 13
  private static let messageIDFlag: UInt16 = 1 << 7

  @Test("a body over the limit is skipped, can be acked, and the consumer goes on")
  func overLimit() async throws {
    let broker = try await Broker.make()
    let connection = try await broker.connect { $0.bodyLimit = 100_000 }
    try await connection.declare(QueueDeclaration("q"))
    for size in [100_001, 400_000, 100_000] {
      let message = Publishing(
        exchange: "", routingKey: "q", properties: MessageProperties(messageID: "\(size)"),
        body: [UInt8](repeating: 7, count: size))
      #expect(try await connection.publish(message) == .confirmed)
    }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    var bodies: [Delivery.Body] = []
    for _ in 0..<3 {
      let delivery = try #require(try await take(1, from: consumer).first)
      #expect(delivery.properties.messageID != nil)
      bodies.append(delivery.body)
      try await connection.ack(delivery.deliveryTag)
    }
    #expect(
      bodies == [
        .overLimit(declaredSize: 100_001), .overLimit(declaredSize: 400_000),
        .bytes([UInt8](repeating: 7, count: 100_000)),
      ])
    await connection.close()
  }

  @Test("a header with an empty name is left out, with a problem, and the message can be acked")
  func emptyHeaderKey() async throws {
    let table = Bytes.long(
      Bytes.field([], "S", Bytes.long(Array("nameless".utf8))) + Bytes.field([107], "S", Bytes.long([118])))
    let properties = try await deliver(flags: Self.headersFlag, properties: table)
    #expect(properties.headers == ["k": "v"])
    #expect(properties.problems == [.emptyHeaderKey])
  }

  @Test("tables that nest as deep as a frame allows do no harm", arguments: [(20_000, ""), (18_000, "a")])
  func deepTables(depth: Int, key: String) async throws {
    let table = Bytes.long(Bytes.field(Array("deep".utf8), "F", Bytes.nestedTable(depth: depth, key: key)))
    let properties = try await deliver(flags: Self.headersFlag, properties: table)
    #expect(properties.headers["deep"] != nil)
    #expect(properties.problems == [key.isEmpty ? .emptyHeaderKey : .headersTooDeep(limit: 8)])
  }

  @Test("a message id that is not UTF-8 is missing, with a problem")
  func messageIDNotUTF8() async throws {
    let properties = try await deliver(flags: Self.messageIDFlag, properties: Bytes.short([0x61, 0xFF]))
    #expect(properties.messageID == nil)
    #expect(properties.problems == [.notUTF8(property: "the message id")])
  }

  @Test("a header name that is not UTF-8 is left out, and a text that is not UTF-8 is read as bytes")
  func headersNotUTF8() async throws {
    let table = Bytes.long(
      Bytes.field([0xC3], "S", Bytes.long([118])) + Bytes.field([107], "S", Bytes.long([0xFF, 0xFE])))
    let properties = try await deliver(flags: Self.headersFlag, properties: table)
    #expect(properties.headers == ["k": .bytes([0xFF, 0xFE])])
    #expect(properties.problems == [.headerKeyNotUTF8])
  }

  @Test("two header names that Unicode takes for one are a problem: no header is lost without a word")
  func headersAlike() async throws {
    let value = Bytes.long([118])
    let table = Bytes.long(
      Bytes.field([0xC3, 0xA9], "S", value) + Bytes.field([0x65, 0xCC, 0x81], "S", value)
        + Bytes.field([107], "S", value) + Bytes.field([107], "S", value))
    let properties = try await deliver(flags: Self.headersFlag, properties: table)
    #expect(properties.problems == [.headerKeysAlike])
  }

  @Test("headers that are too many, too large or too deep for the reader are cut at its limits, with a problem")
  func cutsHeaders() async throws {
    let broker = try await Broker.make()
    let publisher = try await broker.connect("publisher") {
      $0.headers = HeaderLimits(depth: 100, entries: 10_000, bytes: 100_000)
    }
    let connection = try await broker.connect("reader")
    try await connection.declare(QueueDeclaration("q"))
    let many = FieldTable(uniqueKeysWithValues: (0..<1000).map { ("k\($0)", .int(1)) })
    let large: FieldTable = ["large": .string(String(repeating: "x", count: 50_000))]
    for headers in [many, large, nested(9), nestedArrays(9), nested(8), nestedArrays(8)] {
      let message = Publishing(exchange: "", routingKey: "q", properties: MessageProperties(headers: headers), body: [])
      #expect(try await publisher.publish(message) == .confirmed)
    }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 6))
    let read = try await take(6, from: consumer).map(\.properties)
    #expect(read.map(\.headers.count) == [128, 0, 1, 1, 1, 1])
    #expect(
      read.map(\.problems) == [
        [.tooManyHeaders(limit: 128)], [.headersTooLarge(limit: 16 << 10)], [.headersTooDeep(limit: 8)],
        [.headersTooDeep(limit: 8)], [], [],
      ])
    #expect(read[4].headers == nested(8))
    #expect(read[5].headers == nestedArrays(8))
    await connection.close()
    await publisher.close()
  }

  @Test("every kind of number that other clients write is read")
  func otherKinds() async throws {
    let fields: [(Character, [UInt8], FieldValue)] = [
      ("b", Bytes.big(Int8(-5)), -5), ("B", [200], 200), ("s", Bytes.big(Int16(-300)), -300),
      ("u", Bytes.big(UInt16(60_000)), 60_000), ("I", Bytes.big(Int32(-70_000)), -70_000),
      ("i", Bytes.big(UInt32(4_000_000_000)), 4_000_000_000), ("l", Bytes.big(Int64.min), .int(.min)),
      ("f", Bytes.big(Float(1.5).bitPattern), 1.5), ("d", Bytes.big(2.25.bitPattern), 2.25),
      ("D", [2] + Bytes.big(UInt32(314)), .unsupported(kind: UInt8(ascii: "D"))),
    ]
    var table: [UInt8] = []
    for (kind, value, _) in fields { table += Bytes.field(Array("\(kind)".utf8), kind, value) }
    let properties = try await deliver(flags: Self.headersFlag, properties: Bytes.long(table))
    #expect(properties.headers == FieldTable(uniqueKeysWithValues: fields.map { ("\($0.0)", $0.2) }))
    #expect(properties.problems.isEmpty)
  }

  /// Publishes one hand-made message, reads it, acks it, and sees that the connection goes on.
  private func deliver(flags: UInt16, properties: [UInt8]) async throws -> MessageProperties {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("q"))
    let url = broker.plainURL ?? broker.url
    try await onThreadOfItsOwn {
      let raw = try RawPublisher(
        host: url.host, port: url.port, user: url.user, password: url.password, virtualHost: url.virtualHost)
      try raw.publish(queue: "q", flags: flags, properties: properties)
      try raw.finish()
    }
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    let delivery = try #require(try await take(1, from: consumer).first)
    try await connection.ack(delivery.deliveryTag)
    try await connection.put("next", into: "q")
    #expect(try await take(1, from: consumer).first?.text == "next")
    await connection.close()
    return delivery.properties
  }
}
