package import AMQP
package import JobModel

/// The document of an answer. It has texts and whole numbers only.
package protocol AnswerDocument: Hashable, Sendable, Codable {
  /// Leaves a part to be asked for again, because the document has too many bytes for one answer.
  ///
  /// - Returns: whether there was something to leave.
  mutating func shorten() -> Bool
}

extension AnswerDocument {
  /// Most documents fit into one answer.
  package mutating func shorten() -> Bool { false }
}

extension ExplainDocument: AnswerDocument {}

/// Answers to requests and commands, as transient messages straight into the queue that the request named. The property
/// `type` says whether an answer is a document or an error.
package enum AnswerCodec {
  private enum MessageType: String {
    case ok, error
  }

  /// The most bytes of an answer's body: a little less than what a connection reads by default.
  package static let bodyLimit = 1_000_000

  /// The answer of a document, which is shortened until it fits.
  package static func encode(_ document: some AnswerDocument, to address: AnswerAddress) -> TransientPublishing {
    var document = document
    var body = WireJSON.encodePlain(document)
    while body.count > bodyLimit, document.shorten() { body = WireJSON.encodePlain(document) }
    return publishing(.ok, body: body, to: address)
  }

  /// The answer of an error.
  package static func encode(_ failure: JobFailure, to address: AnswerAddress) -> TransientPublishing {
    publishing(.error, body: FailureBody.encode(failure), to: address)
  }

  /// The document of an answer.
  ///
  /// - Throws: `.refused` with the coordinator's error, `.unreadable` for another message.
  package static func decode<Document: Decodable>(
    _ type: Document.Type, from delivery: Delivery
  ) throws(RequestError) -> Document {
    let failure: JobFailure
    do throws(Unreadable) {
      switch delivery.properties.type.flatMap(MessageType.init) {
      case .ok: return try WireJSON.decode(type, from: delivery.body)
      case .error: failure = try FailureBody.decode(try Envelope.bytes(of: delivery.body))
      case nil: throw Unreadable(type: delivery.properties.type)
      }
    } catch {
      throw .unreadable(error.reason)
    }
    throw .refused(failure)
  }

  private static func publishing(_ type: MessageType, body: [UInt8], to address: AnswerAddress) -> TransientPublishing {
    let properties = MessageProperties(
      contentType: WireJSON.contentType, correlationID: address.correlationID,
      expiration: String(ReplyCodec.expiration.milliseconds), type: type.rawValue)
    return TransientPublishing(
      exchange: Topology.Exchange.default, routingKey: address.replyTo, properties: properties, body: body)
  }
}
