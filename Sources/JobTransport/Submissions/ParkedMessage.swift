package import AMQP
package import JobModel

/// A message that cannot be understood, or is about another ledger. It is kept in `teller.rejected` for people, as it came,
/// with the reason in headers. When that queue is full, it drops the oldest message.
package struct ParkedMessage: Hashable, Sendable {
  package var properties: MessageProperties
  package var body: [UInt8]

  /// The most bytes of a body that are kept.
  package static let bodyLimit = 1 << 20
  /// The most bytes of the reason's sentence that are kept.
  package static let longestMessage = 4_096
  /// The most headers that parking adds.
  static let headersAdded = 8
  /// The most bytes of headers that parking adds: the reason, the list of lost properties, and short texts and numbers.
  static let headerBytesAdded = longestMessage + longestLost + 2_048
  /// The most bytes of the list of lost properties that are kept.
  static let longestLost = 1_024

  /// A delivery of that queue, at that moment of the coordinator's clock.
  package init(_ delivery: Delivery, from queue: String, at moment: Timestamp, reason: JobFailure) {
    var kept = delivery.properties
    kept.problems = []
    // Would close the channel: the user is not the coordinator's.
    kept.headers[Header.userID] = kept.userID.map { .string($0) }
    kept.headers[Header.expiration] = kept.expiration.map { .string($0) }
    ParkedMessage.disarm(&kept)
    // Of parking alone: a sender has no say in it.
    kept.headers[Header.bodySize] = nil
    kept.headers[Header.error] = .string(reason.code)
    kept.headers[Header.message] = .string(ParkedMessage.cut(reason.message, to: ParkedMessage.longestMessage))
    kept.headers[Header.parkedFrom] = .string(queue)
    kept.headers[Header.parked] = .int(moment.milliseconds)
    kept.headers[Header.lost] = ParkedMessage.lost(delivery.properties)
    switch delivery.body {
    case .bytes(let bytes):
      body = Array(bytes.prefix(ParkedMessage.bodyLimit))
      if body.count < bytes.count { kept.headers[Header.bodySize] = .int(Int64(bytes.count)) }
    case .overLimit(let size):
      body = []
      kept.headers[Header.bodySize] = .int(Int64(clamping: size))
    }
    properties = kept
  }

  /// How many bytes of the body, and of the reason, are kept of a message that the broker refuses as too large.
  static let (shortBody, shortMessage) = (4_096, 512)
  /// The headers of parking that such a message keeps; its sender's are left out. With the other properties they fit into
  /// a frame of 4,096 bytes, the smallest one of AMQP 0-9-1 (section 2.3.5 and the constant `frame-min-size`).
  private static let shortHeaders = [
    Header.error, Header.message, Header.parkedFrom, Header.parked, Header.bodySize, Header.userID, Header.lost,
  ]

  /// The same with the beginning of its body, and without its sender's headers.
  var shortened: ParkedMessage {
    var short = self
    short.body = Array(body.prefix(ParkedMessage.shortBody))
    if body.count > short.body.count, properties.headers[Header.bodySize] == nil {
      short.properties.headers[Header.bodySize] = .int(Int64(body.count))
    }
    if case .string(let words) = properties.headers[Header.message] {
      short.properties.headers[Header.message] = .string(ParkedMessage.cut(words, to: ParkedMessage.shortMessage))
    }
    short.properties.headers[Header.lost] = .string("the headers of the sender: the message was too large")
    short.properties.headers = short.properties.headers.filter { ParkedMessage.shortHeaders.contains($0.key) }
    return short
  }

  /// The message to publish, straight into `teller.rejected`.
  package var publishing: Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.rejected, properties: properties, body: body)
  }

  /// Removes the parts that the broker would act on: whoever publishes the message does it with rights of his own.
  static func disarm(_ properties: inout MessageProperties) {
    // Sender-selected distribution: these headers would route a copy into any queue that the sender named.
    properties.headers["CC"] = nil
    properties.headers["BCC"] = nil
    // Would close the channel, since the connection has no such consumer.
    if properties.replyTo == "amq.rabbitmq.reply-to" { properties.replyTo = nil }
    // Would remove the message before anybody has read it.
    properties.expiration = nil
    // Would close the channel: the user is not the connection's.
    properties.userID = nil
    properties.headers = writable(properties.headers)
  }

  /// The table without values of unknown types, which cannot be written.
  private static func writable(_ table: FieldTable) -> FieldTable {
    table.compactMapValues(writable)
  }

  private static func writable(_ value: FieldValue) -> FieldValue? {
    switch value {
    case .unsupported: nil
    case .table(let table): .table(writable(table))
    case .array(let values): .array(values.compactMap(writable))
    default: value
    }
  }

  /// The list of the properties that could not be read; nil: all could.
  private static func lost(_ properties: MessageProperties) -> FieldValue? {
    if properties.problems.isEmpty { return nil }
    return .string(cut(properties.problems.map(\.description).joined(separator: "; "), to: longestLost))
  }

  private static func cut(_ text: String, to limit: Int) -> String {
    var bytes = 0
    return String(
      text.prefix { character in
        bytes += character.utf8.count
        return bytes <= limit
      })
  }
}

extension Connection {
  /// Publishes messages to `teller.rejected` and waits until they are there: only then may the originals be acked. Where the
  /// broker does not take a message for its size, a shorter one is parked in its place.
  package func park(_ messages: [ParkedMessage]) async throws {
    guard !messages.isEmpty else { return }
    let results = try await publish(contentsOf: messages.map(\.publishing))
    let refused = zip(messages, results).filter { $1.refusal != nil }.map { $0.0.shortened.publishing }
    let again = refused.isEmpty ? [] : try await publish(contentsOf: refused)
    guard (results.filter { $0.refusal == nil } + again).allSatisfy({ $0 == .confirmed }) else {
      let words = again.lazy.compactMap(\.refusal).first.map { ": \($0)" } ?? ""
      throw AMQPError.connectionLost(reason: "the broker refused to keep a rejected message\(words)")
    }
  }
}
