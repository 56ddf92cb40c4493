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
    case .accepted, .duplicate:
      body = reply.decided.flatMap(DecidedBody.encode) ?? []
      if !body.isEmpty { properties.contentType = WireJSON.contentType }
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
    guard let type = delivery.properties.type else { throw Unreadable(type: nil) }
    return try reply(
      type, job: delivery.properties.headers[Header.job]?.string, correlationID: delivery.properties.correlationID,
      contentType: delivery.properties.contentType
    ) { () throws(Unreadable) in try Envelope.bytes(of: delivery.body) }
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

  static func reply(
    _ type: String, job: String?, correlationID: String?, contentType: String?,
    _ body: () throws(Unreadable) -> [UInt8]
  ) throws(Unreadable) -> Reply {
    let content = try content(type, contentType: contentType, body)
    let decided =
      switch content {
      case .accepted, .duplicate: (try? body()).flatMap(DecidedBody.decode)
      case .rejected, .outcome: nil as DecidedPart?
      }
    return Reply(job: job, correlationID: correlationID, content: content, decided: decided)
  }

  private static func content(
    _ type: String, contentType: String?, _ body: () throws(Unreadable) -> [UInt8]
  ) throws(Unreadable) -> Reply.Content {
    switch MessageType(rawValue: type) {
    case .accepted: .accepted
    case .duplicate: .duplicate
    case .rejected: .rejected(try FailureBody.decode(try body()))
    case .succeeded: .outcome(.succeeded(result: try body(), contentType: contentType))
    case .failed: .outcome(.failed(try FailureBody.decode(try body())))
    case .cancelled: .outcome(.cancelled(try FailureBody.decode(try body())))
    case nil: throw Unreadable(type: type)
    }
  }
}
