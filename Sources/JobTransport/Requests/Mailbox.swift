import AMQP
package import JobModel

/// A message in one of the coordinator's two mailboxes.
package enum MailboxMessage<Content: Hashable & Sendable>: Hashable, Sendable {
  case asked(Content, AnswerAddress)
  /// The answer is this error.
  case refused(JobFailure, AnswerAddress)
  /// There is no address for the answer, or one that is not allowed; the reason is for people.
  case unanswerable(String)
}

/// Why the answer to a question is no document.
package enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator answered with an error.
  case refused(JobFailure)
  /// The answer is not understood: the coordinator is of another version.
  case unreadable(String)

  package var description: String {
    switch self {
    case .refused(let failure): failure.description
    case .unreadable(let reason): "the coordinator's answer is not understood: \(reason)"
    }
  }
}

/// The body of a question, with all the members that it may have.
protocol QuestionBody: Codable {
  associatedtype CodingKeys: CodingKey & CaseIterable
}

/// One of the coordinator's mailboxes: JSON in, JSON out. The property `type` is the question's type, `reply_to` the
/// address for the answer. The broker's permissions decide which users may write into which mailbox.
struct Mailbox {
  var exchange: String
  /// The name of the queue, and the routing key.
  var queue: String
  /// The types of the mailbox's questions.
  var types: [String]

  /// The message of a question, to be published with a confirm. `expiration` is how long it may wait for a coordinator: no
  /// longer than its sender waits for the answer.
  func publishing(
    _ type: String, body: [UInt8], address: AnswerAddress, expiration: Duration, messageID: String? = nil
  ) -> Publishing {
    let properties = MessageProperties(
      contentType: WireJSON.contentType, correlationID: address.correlationID, replyTo: address.replyTo,
      expiration: String(max(1, expiration.milliseconds)), messageID: messageID, type: type)
    return Publishing(exchange: exchange, routingKey: queue, properties: properties, body: body)
  }

  /// Reads a message. Never fails. `read` makes the question of a type and a body; nil: the type is unknown.
  func decode<Content>(
    _ delivery: Delivery, _ read: (String?, Delivery.Body) throws(Unreadable) -> Content?
  ) -> MailboxMessage<Content> {
    let properties = delivery.properties
    guard let replyTo = properties.replyTo, !replyTo.isEmpty else { return .unanswerable("reply_to is missing") }
    guard ReplyAddress.isAllowed(replyTo) else { return .unanswerable(JobFailure.badReplyTo(replyTo).message) }
    let address = AnswerAddress(replyTo: replyTo, correlationID: properties.correlationID)
    do throws(Unreadable) {
      guard let content = try read(properties.type, delivery.body) else {
        return .refused(.unknownRequest(properties.type, known: types), address)
      }
      return .asked(content, address)
    } catch {
      return .refused(.badRequest(error.reason), address)
    }
  }

  /// The value of a question's body. An unknown member is refused: a misspelt filter that is ignored in silence would give
  /// an answer to another question.
  static func read<Content: QuestionBody>(
    _ body: Delivery.Body, as type: Content.Type = Content.self
  ) throws(Unreadable) -> Content {
    try refuseMembers(except: Set(Content.CodingKeys.allCases.map(\.stringValue)), body)
    return try WireJSON.decode(type, from: body)
  }

  /// Reads the body of a question without members. An unknown member is refused, too.
  static func readNothing(_ body: Delivery.Body) throws(Unreadable) {
    try refuseMembers(except: [], body)
  }

  private static func refuseMembers(except known: Set<String>, _ body: Delivery.Body) throws(Unreadable) {
    var json = try JSONScanner(try Envelope.bytes(of: body))
    guard json.isAtObject else {
      try json.skip()
      throw Unreadable("the body is not a JSON object")
    }
    var unknown: String?
    try json.object { name, json throws(Unreadable) in
      if !known.contains(name) { unknown = unknown ?? name }
      try json.skip()
    }
    try json.end()
    guard let unknown else { return }
    throw Unreadable("this version of Teller does not know the member \(Excerpt.quoted(unknown))")
  }
}
