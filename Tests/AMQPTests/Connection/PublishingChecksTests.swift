import Testing

@testable import AMQP

extension PublishingChecks {
  fileprivate func size(of message: Publishing) throws(AMQPError) -> Int {
    guard case .size(let size) = try look(at: message) else { throw .invalid(reason: "it is refused") }
    return size
  }
}

@Suite("Publishing checks")
struct PublishingChecksTests {
  private let checks = PublishingChecks(ConnectionOptions(name: "test"))

  @Test("a text of 255 bytes passes and one of 256 bytes is refused, counted in UTF-8")
  func limitsTexts() throws {
    let fits = String(repeating: "a", count: 253) + "ü"
    #expect(throws: Never.self) { try size(MessageProperties(messageID: fits)) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(messageID: fits + "a")) }
    #expect(throws: AMQPError.self) { try checks.size(of: Publishing(exchange: fits + "a", routingKey: "", body: [])) }
    #expect(throws: AMQPError.self) { try checks.size(of: Publishing(exchange: "", routingKey: fits + "a", body: [])) }
  }

  @Test("headers at the limits pass and headers beyond them are refused")
  func limitsHeaders() throws {
    #expect(throws: Never.self) { try size(MessageProperties(headers: nested(8))) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: nested(9))) }
    #expect(throws: Never.self) { try size(MessageProperties(headers: nestedArrays(8))) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: nestedArrays(9))) }
    #expect(throws: Never.self) { try size(MessageProperties(headers: wide(128))) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: wide(129))) }
    let large = FieldValue.string(String(repeating: "x", count: (16 << 10) - 1))
    #expect(throws: Never.self) { try size(MessageProperties(headers: ["k": large])) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: ["kk": large])) }
  }

  @Test("what was not readable, and headers without a name, are not written")
  func refusesTheUnwritable() {
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: ["k": .unsupported(kind: 68)])) }
    #expect(throws: AMQPError.self) { try size(MessageProperties(headers: ["": 1])) }
  }

  @Test("a message counts for its body and its properties")
  func countsBytes() throws {
    let small = try checks.size(of: Publishing(exchange: "", routingKey: "k", body: []))
    let properties = MessageProperties(headers: ["key": "value"])
    let large = try checks.size(
      of: Publishing(exchange: "", routingKey: "k", properties: properties, body: [UInt8](repeating: 0, count: 1000)))
    #expect(large >= small + 1000 + "keyvalue".utf8.count)
  }

  @Test("a message whose properties are larger than the frame that was agreed on is refused, not the whole connection")
  func refusesLargeFrames() throws {
    let checks = PublishingChecks(ConnectionOptions(name: "test"), agreedFrame: 4096)
    let properties = MessageProperties(headers: ["k": .string(String(repeating: "x", count: 4096))])
    let message = Publishing(exchange: "", routingKey: "", properties: properties, body: [])
    guard case .refused(.refused(code: 501, let text)) = try checks.look(at: message) else {
      Issue.record("\(try checks.look(at: message))")
      return
    }
    #expect(text.contains("4096"))
    #expect(try self.checks.look(at: message) != checks.look(at: message))
  }

  private func size(_ properties: MessageProperties) throws -> Int {
    try checks.size(of: Publishing(exchange: "", routingKey: "", properties: properties, body: []))
  }

  private func wide(_ count: Int) -> FieldTable {
    FieldTable(uniqueKeysWithValues: (0..<count).map { ("k\($0)", .int(Int64($0))) })
  }
}

/// A table whose tables nest that deep.
func nested(_ depth: Int) -> FieldTable {
  (1..<depth).reduce(["k": 1]) { inner, _ in ["k": .table(inner)] }
}

/// A table with arrays in it that nest that deep, the table itself included.
func nestedArrays(_ depth: Int) -> FieldTable {
  ["k": (2..<depth).reduce(.array([1])) { inner, _ in .array([inner]) }]
}
