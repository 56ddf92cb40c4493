package import AMQP
package import JobModel

/// Messages of the coordinator's early queue. A message of `teller.submissions` or `teller.reports` is at the coordinator only
/// when the broker has written it to disk. Where a sender has nothing else on its way, it sends its message to the early queue
/// first. The coordinator records the message, and answers. Without an answer the sender sends it to the durable queue.
package enum EarlyCodec {
  /// The most bytes of such a message.
  package static let byteLimit = 4 << 10

  /// The early message of a worker's reports; nil: it is too large.
  package static func encode(reports: Publishing) -> TransientPublishing? {
    encode(reports, Topology.Exchange.presence, Topology.RoutingKey.earlyReports)
  }

  /// The early message of a submission; nil: it is too large.
  package static func encode(submission: Publishing) -> TransientPublishing? {
    encode(submission, Topology.Exchange.submitEarly, Topology.RoutingKey.submit)
  }

  /// Whether a submission may come early: it is answered, and nothing of it depends on other jobs.
  package static func mayCome(_ submission: Submission) -> Bool {
    submission.reply != nil && submission.key == nil && submission.after == nil && submission.rank == nil
  }

  /// Whether the broker has ended a connection for an early submission: its user may not write to that exchange, or it does
  /// not exist.
  package static func isRefusal(_ error: AMQPError) -> Bool {
    guard case .channelClosed(let code, let text) = error, refusals.contains(code) else { return false }
    return text.contains("'\(Topology.Exchange.submitEarly)'")
  }

  private static let refusals: Set<UInt16> = [AMQPError.accessRefusedCode, AMQPError.notFoundCode]

  /// Whether the coordinator reads a message.
  package static func isAllowed(_ delivery: Delivery) -> Bool {
    delivery.body.count <= byteLimit && !QueueProbe.isProbe(delivery)
  }

  /// Whether a message has reports; else it is a submission.
  package static func hasReports(_ delivery: Delivery) -> Bool { delivery.exchange == Topology.Exchange.presence }

  private static func encode(
    _ message: Publishing, _ exchange: String, _ routingKey: String
  ) -> TransientPublishing? {
    guard message.body.count <= byteLimit else { return nil }
    return TransientPublishing(
      exchange: exchange, routingKey: routingKey, properties: message.properties, body: message.body)
  }
}
