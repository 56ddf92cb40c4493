/// A message that must not be lost: persistent, mandatory, and answered by the broker.
package struct Publishing: Sendable, Hashable {
  package var exchange: String
  package var routingKey: String
  package var properties: MessageProperties
  package var body: [UInt8]

  package init(exchange: String, routingKey: String, properties: MessageProperties = .init(), body: [UInt8]) {
    self.exchange = exchange
    self.routingKey = routingKey
    self.properties = properties
    self.body = body
  }
}

/// A message that may be lost: the broker does not store it, and drops it if no queue takes it. No answer is awaited.
///
/// A type of its own: a message that must not be lost cannot become a transient one by mistake.
package struct TransientPublishing: Sendable, Hashable {
  package var exchange: String
  package var routingKey: String
  package var properties: MessageProperties
  package var body: [UInt8]

  package init(exchange: String, routingKey: String, properties: MessageProperties = .init(), body: [UInt8]) {
    self.exchange = exchange
    self.routingKey = routingKey
    self.properties = properties
    self.body = body
  }
}

extension Publishing {
  init(_ message: TransientPublishing) {
    self.init(
      exchange: message.exchange, routingKey: message.routingKey, properties: message.properties, body: message.body)
  }
}

/// The broker's answer to a publishing.
package enum PublishResult: Sendable, Hashable {
  /// The broker has taken responsibility for the message.
  case confirmed
  /// The broker refuses the message: its queue is full (`QueueArguments.Overflow.rejectPublish`) or has failed.
  case nacked
  /// No queue is bound for the message. `code` is AMQP's reply code, usually 312.
  case returned(code: UInt16, text: String)
  /// This message is one that the broker does not take: too large, for example. The broker's code and words; the code is
  /// ``AMQPError/frameTooLargeCode`` where the message was not even sent. The same message is refused again, until somebody
  /// changes the broker.
  case refused(code: UInt16, text: String)

  /// The broker's words of a refusal; nil: it is none.
  package var refusal: String? {
    if case .refused(_, let text) = self { text } else { nil }
  }
}

/// A message that could be lost, and that the broker does not take: nobody waits for its result.
package struct RefusedTransient: Sendable, Hashable {
  package let exchange: String
  package let routingKey: String
  package let properties: MessageProperties
  /// How large the body was, in bytes.
  package let size: Int
  /// The broker's words.
  package let text: String

  init(_ message: Publishing, text: String) {
    (exchange, routingKey, properties) = (message.exchange, message.routingKey, message.properties)
    (size, self.text) = (message.body.count, text)
  }
}
