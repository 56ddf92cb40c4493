/// A method that this side sends and the broker answers.
enum Request: Sendable, Hashable {
  case openChannel
  case selectConfirms
  case declareExchange(ExchangeDeclaration)
  case declareQueue(QueueDeclaration)
  case bind(queue: String, exchange: String, routingKey: String)
  case deleteQueue(String)
  case purgeQueue(String)
  case limitPrefetch(UInt16)
  case consume(queue: String, tag: String, isExclusive: Bool, arguments: FieldTable)
  case cancel(tag: String)
}

/// The broker's answer to a request.
enum Reply: Sendable, Hashable {
  case channelOpened
  case confirmsSelected
  case exchangeDeclared
  case queueDeclared(QueueDeclared)
  case bound
  case queueDeleted
  case queuePurged(messageCount: Int)
  case prefetchLimited
  case consuming(tag: String)
  case cancelled(tag: String)
}

extension Request: CustomStringConvertible {
  var description: String {
    switch self {
    case .openChannel: "opening the channel"
    case .selectConfirms: "asking for confirms"
    case .declareExchange(let declaration): "declaring exchange '\(declaration.name)'"
    case .declareQueue(let declaration): "declaring queue '\(declaration.name)'"
    case .bind(let queue, let exchange, _): "binding queue '\(queue)' to exchange '\(exchange)'"
    case .deleteQueue(let queue): "deleting queue '\(queue)'"
    case .purgeQueue(let queue): "purging queue '\(queue)'"
    case .limitPrefetch: "setting the prefetch count"
    case .consume(let queue, _, _, _): "consuming from queue '\(queue)'"
    case .cancel(let tag): "cancelling consumer '\(tag)'"
    }
  }

  /// Whether that reply answers this request.
  func isAnswered(by reply: Reply) -> Bool {
    switch (self, reply) {
    case (.openChannel, .channelOpened), (.selectConfirms, .confirmsSelected),
      (.declareExchange, .exchangeDeclared), (.declareQueue, .queueDeclared), (.bind, .bound),
      (.deleteQueue, .queueDeleted), (.purgeQueue, .queuePurged), (.limitPrefetch, .prefetchLimited),
      (.consume, .consuming), (.cancel, .cancelled):
      true
    default: false
    }
  }
}
