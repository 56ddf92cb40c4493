package import AMQP
package import JobModel

/// Replies to a submitter, as transient messages straight into the queue that the submission named.
package enum ReplyCodec {
  private enum MessageType: String {
    case accepted, duplicate, rejected, succeeded, failed, cancelled
  }

  /// How long a reply waits for its reader. The outcome stays in the notification stream, and can be asked for by `wait`.
  package static let expiration: Duration = .seconds(60)

  /// The message of a reply. The address must be an allowed one.
  package static func encode(_ reply: Reply, to replyTo: String) -> TransientPublishing {
    var properties = MessageProperties(
      correlationID: reply.correlationID, expiration: String(expiration.milliseconds),
      type: type(of: reply.content).rawValue)
    if let job = reply.job { properties.headers[Header.job] = .string(job) }
    let body: [UInt8]
    switch reply.content {
    case .accepted, .duplicate: body = []
    case .outcome(.succeeded(let result, let contentType)):
      properties.contentType = contentType
      body = result
    case .rejected(let failure), .outcome(.failed(let failure)), .outcome(.cancelled(let failure)):
      properties.contentType = WireJSON.contentType
      body = FailureBody.encode(failure)
    }
    return TransientPublishing(
      exchange: Topology.Exchange.default, routingKey: replyTo, properties: properties, body: body)
  }

  /// The reply of a delivery.
  ///
  /// - Throws: `Unreadable` for a message that is no reply.
  package static func decode(_ delivery: Delivery) throws(Unreadable) -> Reply {
    Reply(
      job: delivery.properties.headers[Header.job]?.string, correlationID: delivery.properties.correlationID,
      content: try content(delivery))
  }

  private static func type(of content: Reply.Content) -> MessageType {
    switch content {
    case .accepted: .accepted
    case .duplicate: .duplicate
    case .rejected: .rejected
    case .outcome(.succeeded): .succeeded
    case .outcome(.failed): .failed
    case .outcome(.cancelled): .cancelled
    }
  }

  private static func content(_ delivery: Delivery) throws(Unreadable) -> Reply.Content {
    switch delivery.properties.type.flatMap(MessageType.init) {
    case .accepted: return .accepted
    case .duplicate: return .duplicate
    case .rejected: return .rejected(try failure(delivery))
    case .succeeded:
      let contentType = delivery.properties.contentType
      return .outcome(.succeeded(result: try Envelope.bytes(of: delivery.body), contentType: contentType))
    case .failed: return .outcome(.failed(try failure(delivery)))
    case .cancelled: return .outcome(.cancelled(try failure(delivery)))
    case nil: throw Unreadable(type: delivery.properties.type)
    }
  }

  private static func failure(_ delivery: Delivery) throws(Unreadable) -> JobFailure {
    try FailureBody.decode(try Envelope.bytes(of: delivery.body))
  }
}
