package import AMQP
package import JobModel
package import Logging

/// Finds out where the notification stream ends: how far a ledger has come in it.
package struct StreamEnd: Sendable {
  private let ledger: LedgerID
  private let logger: Logger

  private static let prefetch: UInt16 = 32
  /// How many messages further back it looks, one after the other, where the end of the stream has nothing but questions: each
  /// a little more, so that little is read before them. A session that gets no answer asks every few seconds, and tells
  /// nothing else.
  private static let steps: [Int64] = (3...12).map { 1 << $0 }

  package init(of ledger: LedgerID, logger: Logger) { (self.ledger, self.logger) = (ledger, logger) }

  /// What the stream has said.
  package struct Found: Sendable {
    /// How far the ledger has come in it; nil: it names no place of this ledger.
    package let last: NotificationPosition?
    /// Whether that lies before questions: another one would have to look as far.
    package let isBeforeQuestions: Bool
  }

  /// A part of the stream, up to its end.
  private struct Part {
    /// The place of its first message.
    var first: Int64?
    var last: NotificationPosition?
    var impossible: NotificationPosition?
    /// Whether it has nothing but questions: what they were asked about lies before it.
    var isQuestions = true
  }

  /// How far the ledger has come, as far as the last part of the stream tells.
  ///
  /// It publishes a question, an empty batch, which shows where the stream ends, and which tells watchers nothing. A
  /// question that got no answer, because the stream was slow or the coordinator died, hides nothing from the next one.
  ///
  /// - Returns: Nil when the stream takes nothing.
  package func find(behind own: NotificationPosition, on connection: Connection) async throws -> Found? {
    let question = JobID().description
    let asked = NotificationCodec.encode(question: question, ledger: ledger, epoch: own.epoch)
    let part = try await read(from: "last", to: question, behind: own, on: connection) {
      try await connection.publish(asked) == .confirmed
    }
    guard var part else { return nil }
    let isBeforeQuestions = part.isQuestions
    for step in StreamEnd.steps {
      guard part.isQuestions, let first = part.first, first > 0 else { break }
      let start = FieldValue.int(max(0, first - step))
      part = try await read(from: start, to: question, behind: own, on: connection) { true } ?? part
    }
    if let impossible = part.impossible {
      logger.error(
        "the notification stream names an epoch of this ledger behind which there is none: that is passed over",
        metadata: ["epoch": "\(impossible.epoch)", "last": "\(JobProgress.lastEpoch)"])
    }
    return Found(last: part.last, isBeforeQuestions: isBeforeQuestions)
  }

  /// Reads from there up to the question. `ask` is called once the reading has begun; false: the stream takes nothing.
  private func read(
    from start: FieldValue, to question: String, behind own: NotificationPosition, on connection: Connection,
    ask: () async throws -> Bool
  ) async throws -> Part? {
    let options = ConsumeOptions(prefetch: StreamEnd.prefetch, arguments: ["x-stream-offset": start])
    let consumer = try await connection.consume(Topology.Queue.notifications, options: options)
    guard try await ask() else { return nil }
    var part = Part()
    while true {
      let batch = try await consumer.batch(atMost: Int(StreamEnd.prefetch))
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
      for delivery in batch {
        part.first = part.first ?? NotificationCodec.offset(of: delivery)
        if delivery.properties.messageID == question {
          try await connection.cancel(consumer.tag)
          return part
        }
        note(delivery, in: &part, behind: own)
      }
    }
  }

  private func note(_ delivery: Delivery, in part: inout Part, behind own: NotificationPosition) {
    part.isQuestions = part.isQuestions && NotificationCodec.isQuestion(delivery)
    guard let position = NotificationCodec.position(of: delivery, in: ledger) else { return }
    guard StreamEnd.canFollow(position, own) else { return part.impossible = position }
    part.last = max(part.last ?? position, position)
  }

  /// Whether a ledger can go on behind that place in the stream. A message that names a higher epoch was damaged, or made
  /// up: the stream keeps it, so that every start would find it again.
  package static func canFollow(_ position: NotificationPosition, _ own: NotificationPosition) -> Bool {
    position.epoch < JobProgress.lastEpoch || position.epoch == own.epoch
  }
}
