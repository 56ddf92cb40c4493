import TestSupport
import Testing

@testable import AMQP

/// One broker of its own, with limits far below the usual ones.
@Suite("What a broker with narrow limits refuses", .timeLimit(.minutes(10)))
struct RefusedMessageTests {
  static let limit = 65_536

  private static let node = Task {
    try await BrokerNode.start(
      settings: ["max_message_size = \(limit)", "frame_max = 8192", "channel_max = 1", "heartbeat = 0"])
  }

  private func connect(_ change: (inout ConnectionOptions) -> Void = { _ in }) async throws -> Connection {
    try await Broker(url: try BrokerURL(try await Self.node.value.makeVirtualHost())).connect("test", change)
  }

  private func message(_ size: Int, to queue: String = "q", headers: FieldTable = [:]) -> Publishing {
    Publishing(
      exchange: "", routingKey: queue, properties: MessageProperties(headers: headers),
      body: [UInt8](repeating: 120, count: size))
  }

  @Test("a message above max_message_size is refused with the broker's words, alone, and the connection goes on")
  func tooLarge() async throws {
    let connection = try await connect()
    try await connection.declare(QueueDeclaration("q"))
    let sizes = [1, 2, Self.limit + 1, 3, Self.limit, 200_000, 4]
    let results = try await connection.publish(contentsOf: sizes.map { message($0) })
    for (size, result) in zip(sizes, results) {
      if size > Self.limit {
        guard case .refused(code: 406, let text) = result else {
          Issue.record("\(size): \(result)")
          continue
        }
        #expect(text.contains("\(size)") && text.contains("\(Self.limit)"), "\(text)")
      } else {
        #expect(result == .confirmed, "\(size)")
      }
    }
    #expect(try await connection.count(of: "q") == 5)
    await connection.close()
  }

  @Test("calls beside each other: each has the result of its own messages")
  func besides() async throws {
    let connection = try await connect()
    try await connection.declare(QueueDeclaration("q"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        let size = number.isMultiple(of: 5) ? 100_000 + number : number * 1_000
        group.addTask {
          let results = try await connection.publish(contentsOf: [message(size), message(1)])
          #expect((results[0] == .confirmed) == (size <= Self.limit), "\(size): \(results[0])")
          #expect(results[1] == .confirmed)
        }
      }
      group.addTask { for _ in 0..<20 { try await connection.ping() } }
      try await group.waitForAll()
    }
    await connection.close()
  }

  @Test("a transient message that is refused is an event, and those behind it arrive")
  func transient() async throws {
    let connection = try await connect()
    try await connection.declare(QueueDeclaration("q"))
    try await connection.publish(
      contentsOf: [70_000, 5].map {
        TransientPublishing(
          exchange: "", routingKey: "q", properties: MessageProperties(correlationID: "c"),
          body: [UInt8](repeating: 0, count: $0))
      })
    let event = try await firstEvent(of: connection, named: "refused") { _ in true }
    guard case .refused(let refused) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(refused.size == 70_000 && refused.properties.correlationID == "c" && refused.routingKey == "q")
    #expect(try await connection.publish(message(1)) == .confirmed)
    #expect(try await connection.count(of: "q") == 2)
    await connection.close()
  }

  @Test("properties larger than the frame that the broker wants are refused before they are sent")
  func frame() async throws {
    let connection = try await connect()
    try await connection.declare(QueueDeclaration("q"))
    let headers: FieldTable = ["h": .string(String(repeating: "x", count: 9_000))]
    let results = try await connection.publish(contentsOf: [message(1), message(1, headers: headers), message(2)])
    guard case .refused(code: 501, let text) = results[1] else {
      Issue.record("\(results[1])")
      return
    }
    #expect(text.contains("8192"))
    #expect(results[0] == .confirmed && results[2] == .confirmed)
    await connection.close()
  }

  @Test("bodies of many frames come through in the frames that were agreed on")
  func roundTrip() async throws {
    let connection = try await connect()
    try await connection.declare(QueueDeclaration("q"))
    let body = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(
      try await connection.publish(Publishing(exchange: "", routingKey: "q", body: body)) == .confirmed)
    let consumer = try await connection.consume("q", options: ConsumeOptions(prefetch: 1))
    #expect(try await take(1, from: consumer).first?.body == .bytes(body))
    await connection.close()
  }

  @Test("a refusal that cannot be put down to one message ends the connection; the next one is cautious and finds it")
  func cautious() async throws {
    let connection = try await connect { $0.cautiousMessages = 100 }
    try await connection.declare(QueueDeclaration("q"))
    // An expiration that is no number closes the channel, whatever the size.
    var wrong = message(1)
    wrong.properties.expiration = "never"
    let results = try await connection.publish(contentsOf: [message(1), wrong, message(2)])
    #expect(results[0] == .confirmed && results[2] == .confirmed)
    #expect(results[1].refusal != nil, "\(results[1])")
    await connection.close()
  }
}
