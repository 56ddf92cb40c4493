import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Synchronization
import SystemSupport
import TestSupport
import Testing

/// The ids of the messages that were told.
private final class Told: Sendable {
  private let messages = Mutex<[String]>([])
  var ids: [String] { messages.withLock { $0 } }

  /// - Returns: How many were told so far.
  func note(_ ends: [PutBackEnd]) -> Int {
    messages.withLock { ids in
      ids += ends.map(\.message.id)
      return ids.count
    }
  }
}

@Suite("The queue of rejected messages")
struct RejectedQueueTests {
  private let reason = JobFailure(code: "unknown_department", message: "no")

  /// A broker with parked submissions; the body of each is its number.
  private func broker(_ count: Int, from queue: String = "teller.submissions") async throws -> (Broker, Connection) {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await Topology.declareAll(on: connection, departments: ["counter"])
    for number in 0..<count { try await park(number, from: queue, connection) }
    return (broker, connection)
  }

  private func park(_ number: Int, from queue: String = "teller.submissions", _ connection: Connection) async throws {
    let delivery = Deliveries.make(
      MessageProperties(messageID: "\(number)"), .bytes([UInt8(truncatingIfNeeded: number)]))
    try await connection.put(ParkedMessage(delivery, from: queue, at: .now(), reason: reason).publishing)
  }

  /// The bodies of the messages in the queue, which are so many once the reader before has gone.
  private func bodies(
    _ broker: Broker, _ connection: Connection, of count: Int, atMost limit: Int = 100
  ) async throws -> [UInt8] {
    try await left(count, connection)
    let queue = try await RejectedQueue.open(broker.url, .patient("test"), patience: patience)
    let messages = try await queue.take(atMost: limit)
    await queue.close()
    return messages.flatMap(\.body)
  }

  /// Waits until the broker has noticed that a reader is gone.
  private func left(_ count: Int, _ connection: Connection) async throws {
    try await eventually("so many are free again", within: patience) {
      let state = try await connection.state(of: Topology.Queue.rejected)
      return state.messageCount == count && state.consumerCount == 0
    }
  }

  /// Waits until a queue has so many messages. A quorum queue says that it has none when its leader is slow to answer.
  private func has(_ queue: String, _ count: Int, _ connection: Connection) async throws {
    try await eventually("\(queue) has \(count)", within: patience) {
      try await connection.state(of: queue).messageCount == count
    }
  }

  @Test("gives the oldest messages, and has them all in their order again afterwards")
  func order() async throws {
    let (broker, connection) = try await broker(5)
    #expect(try await bodies(broker, connection, of: 5, atMost: 3) == [0, 1, 2])
    try await park(5, connection)
    for _ in 0..<3 { #expect(try await bodies(broker, connection, of: 6) == [0, 1, 2, 3, 4, 5]) }
    await connection.close()
  }

  @Test("serves one reader at a time")
  func alone() async throws {
    let (broker, connection) = try await broker(2)
    let first = try await RejectedQueue.open(broker.url, .patient("first"), patience: patience)
    #expect(try await first.take(atMost: 1).count == 1)
    let second = try await RejectedQueue.open(broker.url, .patient("second"), patience: patience)
    let error = await #expect(throws: AMQPError.self) { try await second.take(atMost: 1) }
    #expect(error?.saysQueueIsInUse == true)
    for queue in [first, second] { await queue.close() }
    #expect(try await bodies(broker, connection, of: 2) == [0, 1])
    await connection.close()
  }

  @Test("puts messages back before it takes them off, and drops only what it was told")
  func putBack() async throws {
    let (broker, connection) = try await broker(4)
    let queue = try await RejectedQueue.open(broker.url, .patient("test"), patience: patience)
    let messages = try await queue.take(atMost: 10)
    #expect(try await queue.putBack([messages[1], messages[2]]).map(\.obstacle) == [nil, nil])
    try await queue.drop([messages[0]])
    await queue.close()
    #expect(try await bodies(broker, connection, of: 1) == [3])
    let submitted = try await connection.take(2, from: "teller.submissions.2")
    #expect(submitted.map(\.body) == [.bytes([1]), .bytes([2])])
    #expect(submitted.allSatisfy { $0.properties.headers.isEmpty })
    await connection.close()
  }

  @Test(
    "tells each portion's ends when they are known; when the line breaks, what was told is off the queue, the rest is there"
  )
  func lineBreaks() async throws {
    let portion = 256
    let (broker, connection) = try await broker(portion + 2)
    let proxy = try TCPProxy(to: broker.url.port)
    let queue = try await RejectedQueue.open(broker.url(by: proxy), .patient("test"), patience: patience)
    let messages = try await queue.take(atMost: portion + 2)
    let told = Told()
    let stopped = await #expect(throws: PutBackStopped.self) {
      try await queue.putBack(messages) { ends in
        if told.note(ends) == portion { proxy.reset() }
      }
    }
    #expect(stopped?.putBack == portion && stopped?.left == 2 && stopped?.unsure == 2)
    #expect(stopped?.description.contains("256 put back, 2 left in teller.rejected") == true)
    #expect(told.ids == messages.prefix(portion).map(\.id))
    await queue.close()
    try await has("teller.submissions.2", portion, connection)
    #expect(try await bodies(broker, connection, of: 2, atMost: portion + 2).count == 2)
    await connection.close()
  }

  @Test(
    "takes off what one exchange has before it goes on to the other one; what cannot be taken off is in both queues")
  func otherExchange() async throws {
    let (broker, connection) = try await broker(1)
    try await park(1, from: "teller.reports", connection)
    try await park(2, connection)
    let proxy = try TCPProxy(to: broker.url.port)
    let queue = try await RejectedQueue.open(broker.url(by: proxy), .patient("test"), patience: patience)
    let messages = try await queue.take(atMost: 3)
    let stopped = await #expect(throws: PutBackStopped.self) {
      try await queue.putBack(messages) { _ in proxy.reset() }
    }
    // The reader's line is broken, but a new one to the other exchange is not.
    #expect(stopped?.putBack == 3 && stopped?.left == 0 && stopped?.unsure == 1)
    try await has("teller.reports.2", 1, connection)
    await queue.close()
    #expect(try await bodies(broker, connection, of: 1) == [1])
    try await has("teller.submissions.2", 2, connection)
    await connection.close()
  }

  @Test("keeps a message for which the other queue has no room, or for which there is no queue")
  func noRoom() async throws {
    let (broker, connection) = try await broker(1)
    try await connection.delete(queue: "teller.submissions.2")
    let queue = try await RejectedQueue.open(broker.url, .patient("test"), patience: patience)
    let messages = try await queue.take(atMost: 1)
    #expect(try await queue.putBack(messages).map(\.obstacle) == [.noQueue("teller.submit")])
    await queue.close()
    #expect(try await bodies(broker, connection, of: 1) == [0])

    // One that takes nothing at all, in its place.
    var full = QueueDeclaration("full")
    (full.arguments.overflow, full.arguments.maxLength) = (.rejectPublish, 0)
    try await connection.declare(full)
    try await connection.bind(queue: "full", exchange: "teller.submit", routingKey: "")
    let again = try await RejectedQueue.open(broker.url, .patient("test"), patience: patience)
    #expect(try await again.putBack(try await again.take(atMost: 1)).map(\.obstacle) == [.queueIsFull("teller.submit")])
    await again.close()
    #expect(try await bodies(broker, connection, of: 1) == [0])
    await connection.close()
  }

  @Test("that does not exist is an error of the broker, and an empty one gives nothing")
  func missing() async throws {
    let queue = try await RejectedQueue.open(try await Broker.make().url, .patient("test"), patience: patience)
    let error = await #expect(throws: AMQPError.self) { try await queue.count() }
    guard case .channelClosed(404, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await queue.close()
    let (broker, connection) = try await broker(0)
    #expect(try await bodies(broker, connection, of: 0).isEmpty)
    await connection.close()
  }
}

extension Broker {
  /// The broker's address by way of a proxy.
  fileprivate func url(by proxy: TCPProxy) -> BrokerURL {
    var url = url
    (url.host, url.port) = ("127.0.0.1", proxy.port)
    return url
  }
}
