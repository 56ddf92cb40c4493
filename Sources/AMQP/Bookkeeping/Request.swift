/// A method that this side sends and the broker answers.
enum Request: Sendable, Hashable {
  case openChannel
  case selectConfirms
  case declareExchange(ExchangeDeclaration)
  case deleteExchange(String)
  case declareQueue(QueueDeclaration)
  case bindQueue(String, exchange: String, routingKey: String)
  case deleteQueue(String)
  case limitPrefetch(UInt16)
  case startConsumer(tag: String, queue: String, arguments: FieldTable, isExclusive: Bool)
  case cancelConsumer(tag: String)
}

/// The broker's answer to a request.
enum Reply: Sendable, Hashable {
  case channelOpened
  case confirmsSelected
  case exchangeDeclared
  case exchangeDeleted
  case queueDeclared(QueueDeclared)
  case bound
  case queueDeleted
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
    case .deleteExchange(let exchange): "deleting exchange '\(exchange)'"
    case .declareQueue(let declaration): "declaring queue '\(declaration.name)'"
    case .bindQueue(let queue, let exchange, _): "binding queue '\(queue)' to exchange '\(exchange)'"
    case .deleteQueue(let queue): "deleting queue '\(queue)'"
    case .limitPrefetch: "setting the prefetch count"
    case .startConsumer(_, let queue, _, _): "consuming from queue '\(queue)'"
    case .cancelConsumer(let tag): "cancelling consumer '\(tag)'"
    }
  }

  func isAnswered(by reply: Reply) -> Bool {
    switch (self, reply) {
    case (.openChannel, .channelOpened), (.selectConfirms, .confirmsSelected),
      (.declareExchange, .exchangeDeclared), (.deleteExchange, .exchangeDeleted), (.declareQueue, .queueDeclared),
      (.bindQueue, .bound),
      (.deleteQueue, .queueDeleted), (.limitPrefetch, .prefetchLimited):
      true
    case (.startConsumer(let tag, _, _, _), .consuming(let answered)): tag == answered
    case (.cancelConsumer(let tag), .cancelled(let answered)): tag == answered
    default: false
    }
  }

  /// Whether the answer comes before the answers to later requests. RabbitMQ has the queue answer the requests about its
  /// consumers: the answer comes when the queue gives it.
  var isAnsweredInTurn: Bool {
    switch self {
    case .startConsumer, .cancelConsumer: false
    default: true
    }
  }
}
