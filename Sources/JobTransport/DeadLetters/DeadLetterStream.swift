package import AMQP
import AsyncAlgorithms
import JobModel

/// The stream of dead letters, and how far a coordinator has read it: that is written in the stream itself. So it is lost
/// when the stream is, and only then.
package struct DeadLetterStream: Sendable {
  private let connection: Connection
  private let limit: Duration

  /// How long the stream may take to confirm a message, and to deliver the next part of what it has. While the broker takes
  /// nothing for lack of memory or disk, a confirm may take longer.
  package static let limit: Duration = .seconds(10)

  package init(on connection: Connection, limit: Duration = DeadLetterStream.limit) {
    (self.connection, self.limit) = (connection, limit)
  }

  /// Where to go on reading, and what stood at the end of the stream when that was found out.
  package struct Position: Sendable {
    /// The offset of the first message that was not read.
    package let next: Int64
    /// The id of a message behind all others.
    package let end: String
  }

  /// The property `type` of a message that says how far the stream was read.
  static let markType = "teller.dead-letters.read"
  /// Its header with the offset of the first message that was not read.
  private static let header = "teller-next"
  private static let prefetch: UInt16 = 64

  /// Finds out how far the stream was read: from its last part, or from all of it.
  ///
  /// - Throws: `.timedOut` when the stream does not confirm, or delivers nothing, for the limit.
  package func position() async throws -> Position {
    let end = JobID().description
    let last = try await search("last", to: end, publishes: true)
    let all = last.next != nil || last.first == 0 ? last : try await search("first", to: end, publishes: false)
    let next = all.next ?? all.first ?? 0
    // Behind the end: so it is in the last part the next time.
    try await markRead(before: next)
    return Position(next: next, end: end)
  }

  /// Consumes from that offset on, into an inbox.
  ///
  /// - Returns: The consumer's tag.
  package func consume(from offset: Int64, into inbox: DeliveryInbox) async throws(AMQPError) -> String {
    let options = ConsumeOptions(prefetch: Self.prefetch, arguments: ["x-stream-offset": .int(offset)])
    return try await connection.consume(Topology.Queue.deadLetters, options: options, into: inbox)
  }

  /// Remembers that everything before that offset was read.
  ///
  /// - Throws: `.timedOut` when the stream does not confirm that in time; it may do so later.
  package func markRead(before next: Int64) async throws {
    try await publish(JobID().description, next: next)
  }

  /// The offset of a delivery of the stream.
  package static func offset(of delivery: Delivery) -> Int64? { delivery.properties.headers["x-stream-offset"]?.int }

  private func publish(_ id: String, next: Int64?) async throws {
    var properties = MessageProperties(messageID: id, type: Self.markType)
    properties.headers[Self.header] = next.map { .int($0) }
    let mark = Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.deadLetters, properties: properties, body: [])
    guard try await publishInTime(mark) == [.confirmed] else {
      throw AMQPError.connectionLost(reason: "the stream of dead letters refused a message")
    }
  }

  private func publishInTime(_ mark: Publishing) async throws -> [PublishResult] {
    try await withThrowingTaskGroup(of: [PublishResult].self) { group in
      defer { group.cancelAll() }
      group.addTask { try await connection.publishUnlessCancelled(contentsOf: [mark]) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) {
          if await !connection.isBlocked { break }
        }
        try Task.checkCancellation()
        throw AMQPError.timedOut(operation: "confirming a message to the stream of dead letters")
      }
      return try await group.next() ?? []
    }
  }

  /// What a part of the stream says.
  private struct Part {
    /// How far the stream was read; nil: this part does not say.
    var next: Int64?
    /// The offset of the part's first message.
    var first: Int64?
  }

  /// Reads from there to the end, and publishes what stands at the end if that is not done yet.
  ///
  /// - Throws: Also when the task is cancelled before the end: half of a part says nothing.
  private func search(_ offset: FieldValue, to end: String, publishes: Bool) async throws -> Part {
    let options = ConsumeOptions(prefetch: Self.prefetch, arguments: ["x-stream-offset": offset])
    let consumer = try await connection.consume(Topology.Queue.deadLetters, options: options)
    if publishes { try await publish(end, next: nil) }
    var part = Part()
    reading: while true {
      let batch = try await consumer.batch(atMost: Int(Self.prefetch), within: limit)
      guard !batch.isEmpty else { throw AMQPError.timedOut(operation: "reading the stream of dead letters to its end") }
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
      for delivery in batch {
        part.first = part.first ?? Self.offset(of: delivery)
        if delivery.properties.messageID == end { break reading }
        guard delivery.properties.type == Self.markType else { continue }
        if let read = delivery.properties.headers[Self.header]?.int { part.next = max(part.next ?? read, read) }
      }
    }
    try await connection.cancel(consumer.tag)
    return part
  }
}
