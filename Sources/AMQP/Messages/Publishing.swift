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
}
