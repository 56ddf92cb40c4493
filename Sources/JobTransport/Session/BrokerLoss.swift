import AMQP

/// Why the connections of a session have to be opened again.
enum BrokerLoss: Hashable, Sendable, CustomStringConvertible {
  /// No connection could be opened.
  case notOpened(AMQPError)
  /// A connection ended, or a request on it was refused.
  case connection(AMQPError)
  /// The broker ended a consumer: its queue is gone, and has to be declared again.
  case consumerCancelled(tag: String)

  /// The error of a session that does not try again.
  var error: AMQPError {
    switch self {
    case .notOpened(let error), .connection(let error): error
    case .consumerCancelled(let tag): .connectionLost(reason: "the broker ended the consumer \(tag)")
    }
  }

  /// Whether the broker may have refused one of the messages that were on their way.
  var mayBeByMessage: Bool {
    if case .connection(.channelClosed(AMQPError.preconditionFailedCode, _)) = self { true } else { false }
  }

  var description: String { error.cause }
}
