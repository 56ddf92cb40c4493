package import AMQP
package import JobModel

/// Answers to requests and commands, as transient messages straight into the queue that the request named. The property
/// `type` says whether it is an answer or an error.
package enum AnswerCodec {
  private enum MessageType: String {
    case ok, error
  }

  /// The most bytes of a document: a little less than what a connection reads by default.
  package static let bodyLimit = 1_000_000

  /// The message of an answer.
  package static func encode(_ answer: some Answer, to address: AnswerAddress) -> TransientPublishing {
    var message = message(.ok, to: address)
    answer.write(to: &message)
    return message
  }

  /// The answer of an error.
  package static func encode(_ failure: JobFailure, to address: AnswerAddress) -> TransientPublishing {
    var message = message(.error, to: address)
    message.properties.contentType = WireJSON.contentType
    message.body = FailureBody.encode(failure)
    return message
  }

  /// The error in place of an answer that the broker does not take; nil: that was no answer.
  package static func encode(inPlaceOf refused: RefusedTransient) -> TransientPublishing? {
    guard refused.exchange == Topology.Exchange.default, refused.properties.type == MessageType.ok.rawValue,
      let id = refused.properties.correlationID
    else { return nil }
    let failure = JobFailure(
      code: JobFailure.Code.unpublishable,
      message: """
        the answer has \(refused.size) bytes, and the broker does not take it: \(refused.text); ask for less, or raise that \
        limit of the broker
        """)
    return encode(failure, to: AnswerAddress(replyTo: refused.routingKey, correlationID: id))
  }

  /// The answer of a message.
  ///
  /// - Throws: `.refused` with the coordinator's error, `.unreadable` for another message.
  package static func decode<Content: Answer>(
    _ type: Content.Type, from delivery: Delivery
  ) throws(RequestError) -> Content {
    let failure: JobFailure
    do throws(Unreadable) {
      switch delivery.properties.type.flatMap(MessageType.init) {
      case .ok: return try Content(answer: delivery)
      case .error: failure = try AnswerCodec.failure(of: delivery)
      case nil: throw Unreadable(type: delivery.properties.type)
      }
    } catch {
      throw .unreadable(error.reason)
    }
    throw .refused(failure)
  }

  /// The error in an answer that is one.
  package static func failure(of delivery: Delivery) throws(Unreadable) -> JobFailure {
    try FailureBody.decode(try Envelope.bytes(of: delivery.body))
  }

  private static func message(_ type: MessageType, to address: AnswerAddress) -> TransientPublishing {
    let properties = MessageProperties(
      correlationID: address.correlationID, expiration: String(ReplyCodec.expiration.milliseconds), type: type.rawValue)
    return TransientPublishing(
      exchange: Topology.Exchange.default, routingKey: address.replyTo, properties: properties, body: [])
  }
}
