package import AMQP
package import JobModel
package import Logging

/// Finds out where the notification stream ends: how far a ledger has come in it.
package struct StreamEnd: Sendable {
  private let ledger: LedgerID
  private let logger: Logger

  private static let prefetch: UInt16 = 32

  package init(of ledger: LedgerID, logger: Logger) { (self.ledger, self.logger) = (ledger, logger) }

  /// What the stream has said.
  package struct Found: Sendable {
    /// How far the ledger has come in it; nil: it names no place of this ledger.
    package let last: NotificationPosition?
  }

  /// How far the ledger has come, as far as the last part of the stream tells.
  ///
  /// It publishes a marker, an empty batch, which shows where the stream ends, and which tells watchers nothing. The
  /// marker says how far this ledger is (`own`): so a restored ledger that is started later sees it, even if there was
  /// nothing to notify.
  ///
  /// - Returns: Nil when the stream takes nothing.
  package func find(behind own: NotificationPosition, on connection: Connection) async throws -> Found? {
    let marker = JobID().description
    let options = ConsumeOptions(prefetch: StreamEnd.prefetch, arguments: ["x-stream-offset": "last"])
    let consumer = try await connection.consume(Topology.Queue.notifications, options: options)
    let end = NotificationCodec.encode(marker: marker, ledger: ledger, at: own)
    guard try await connection.publish(end) == .confirmed else { return nil }
    var (last, impossible): (NotificationPosition?, NotificationPosition?)
    reading: while true {
      let batch = try await consumer.batch(atMost: Int(StreamEnd.prefetch))
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
      for delivery in batch {
        if delivery.properties.messageID == marker { break reading }
        guard let position = NotificationCodec.position(of: delivery, in: ledger) else { continue }
        if StreamEnd.canFollow(position, own) { last = max(last ?? position, position) } else { impossible = position }
      }
    }
    try await connection.cancel(consumer.tag)
    if let impossible {
      logger.error(
        "the notification stream names an epoch of this ledger behind which there is none: that is passed over",
        metadata: ["epoch": "\(impossible.epoch)", "last": "\(JobProgress.lastEpoch)"])
    }
    return Found(last: last)
  }

  /// Whether a ledger can go on behind that place in the stream. A message that names a higher epoch was damaged, or made
  /// up: the stream keeps it, so that every start would find it again.
  package static func canFollow(_ position: NotificationPosition, _ own: NotificationPosition) -> Bool {
    position.epoch < JobProgress.lastEpoch || position.epoch == own.epoch
  }
}
