package import AMQP
package import JobModel

/// A message that the broker took off a queue of submissions or reports: for its age, because the queue was too long, or
/// because it was returned too often.
package struct DeadLetter: Sendable {
  /// Which queue it was in, and why the broker took it off.
  package let cause: DeadLetterCause
  package let contents: Topology.Mail
  /// The message as it was in that queue.
  package let message: Delivery

  /// Reads a delivery of one of the queues of dead letters; nil: it is none.
  package init?(_ delivery: Delivery) {
    guard !QueueProbe.isProbe(delivery), delivery.properties.type != DeadLetterStream.markType else { return nil }
    let headers = delivery.properties.headers
    contents = delivery.routingKey == Topology.RoutingKey.reports ? .reports : .submissions
    let queue = contents == .reports ? Topology.Queue.reports : Topology.Queue.submissions
    cause = DeadLetterCause(
      queue: headers["x-first-death-queue"]?.string ?? queue,
      reason: headers["x-first-death-reason"]?.string ?? "unknown")
    var message = delivery
    message.properties.headers = headers.filter { !DeadLetter.isOfBroker($0.key) }
    self.message = message
  }

  /// Of the two copies of a dead letter, and of no other message.
  package var digest: [UInt8] {
    let body: [UInt8] =
      switch message.body {
      case .bytes(let bytes): bytes
      case .overLimit(let size): Array("\(size)".utf8)
      }
    let (id, type) = (message.properties.messageID ?? "", message.properties.type ?? "")
    return Digest.sha256(of: Array("\(contents) \(id.debugDescription) \(type.debugDescription) ".utf8) + body)
  }

  /// Whether the broker adds such a header to a dead letter, or to what it delivers.
  private static func isOfBroker(_ header: String) -> Bool {
    ["x-first-death-", "x-last-death-", "x-opt-"].contains(where: header.hasPrefix)
      || ["x-death", "x-stream-offset", "x-delivery-count", "x-acquired-count"].contains(header)
  }
}
