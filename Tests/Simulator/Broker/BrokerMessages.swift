package import AMQP

/// What a client says to the broker on one connection.
package enum BrokerRequest: Sendable {
  /// With a number: a mandatory, persistent message, whose answer repeats the number. Without: one that may be lost.
  case publish(Publishing, number: Int?)
  case declare([QueueDeclaration], [QueueBinding])
  /// How many messages wait in a queue; declares it, if it is missing.
  case ask(QueueDeclaration)
  case delete(queue: String)
  /// A prefetch of 0 is none. Of a stream the consumer gets what is there from `from` on.
  case consume(queue: String, tag: String, prefetch: Int, from: StreamStart = .next)
  case cancel(tag: String)
  case ack([UInt64])
  case requeue([UInt64])
  case reject([UInt64])
  /// The end of the process: the last thing that comes by its connection.
  case hangUp
}

/// What the broker says to a client on one connection.
package enum BrokerFrame: Sendable {
  case delivery(Delivery)
  case published(number: Int, PublishResult)
  case declared
  case counted(queue: String, messages: Int)
  case deleted(queue: String)
  case consuming(tag: String)
  /// The answer to a `cancel`.
  case cancelled(tag: String)
  /// The broker has ended the consumer by itself: its queue is gone.
  case ended(tag: String)
  case blocked
  case unblocked
  /// The connection is over.
  case closed(AMQPError)
}

/// A queue gets the messages of an exchange with a routing key.
package struct QueueBinding: Hashable, Sendable {
  package var queue: String
  package var exchange: String
  package var key: String

  package init(queue: String, exchange: String, key: String) {
    (self.queue, self.exchange, self.key) = (queue, exchange, key)
  }
}
