/// A message to publish that must not be lost: persistent, mandatory, and answered by the broker.
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

/// A message that may be lost: not stored by the broker, dropped in silence when no queue takes it, its answer not
/// awaited.
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
  /// No queue is bound for it. `code` is AMQP's reply code, usually 312.
  case returned(code: UInt16, text: String)
}
