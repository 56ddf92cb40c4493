internal import CRabbitMQ

extension BrokerHandle {
  func send(_ request: Request) throws(AMQPError) {
    switch request {
    case .openChannel: try send(AMQP_CHANNEL_OPEN_METHOD, amqp_channel_open_t())
    case .selectConfirms: try send(AMQP_CONFIRM_SELECT_METHOD, amqp_confirm_select_t())
    case .declareExchange(let declaration): try send(declaration)
    case .deleteExchange(let exchange):
      var method = amqp_exchange_delete_t()
      method.exchange = try arena.text(exchange)
      try send(AMQP_EXCHANGE_DELETE_METHOD, method)
    case .declareQueue(let declaration): try send(declaration)
    case .bindQueue(let queue, let exchange, let routingKey):
      var method = amqp_queue_bind_t()
      method.queue = try arena.text(queue)
      method.exchange = try arena.text(exchange)
      method.routing_key = try arena.text(routingKey)
      try send(AMQP_QUEUE_BIND_METHOD, method)
    case .deleteQueue(let queue):
      var method = amqp_queue_delete_t()
      method.queue = try arena.text(queue)
      try send(AMQP_QUEUE_DELETE_METHOD, method)
    case .limitPrefetch(let count):
      try send(AMQP_BASIC_QOS_METHOD, amqp_basic_qos_t(prefetch_size: 0, prefetch_count: count, global: 0))
    case .startConsumer(let tag, let queue, let arguments, let isExclusive):
      var method = amqp_basic_consume_t()
      method.queue = try arena.text(queue)
      method.consumer_tag = try arena.text(tag)
      method.arguments = try arena.table(arguments)
      method.exclusive = isExclusive ? 1 : 0
      try send(AMQP_BASIC_CONSUME_METHOD, method)
    case .cancelConsumer(let tag):
      try send(AMQP_BASIC_CANCEL_METHOD, amqp_basic_cancel_t(consumer_tag: try arena.text(tag), nowait: 0))
    }
  }

  private func send(_ declaration: ExchangeDeclaration) throws(AMQPError) {
    var method = amqp_exchange_declare_t()
    method.exchange = try arena.text(declaration.name)
    method.type = try arena.text(declaration.kind.wireName)
    method.passive = declaration.isPassive ? 1 : 0
    method.durable = declaration.isDurable ? 1 : 0
    method.auto_delete = declaration.isAutoDelete ? 1 : 0
    if let alternate = declaration.alternate {
      method.arguments = try arena.table(["alternate-exchange": .string(alternate)])
    }
    try send(AMQP_EXCHANGE_DECLARE_METHOD, method)
  }

  private func send(_ declaration: QueueDeclaration) throws(AMQPError) {
    var method = amqp_queue_declare_t()
    method.queue = try arena.text(declaration.name)
    method.passive = declaration.isPassive ? 1 : 0
    method.durable = declaration.isDurable ? 1 : 0
    method.exclusive = declaration.isExclusive ? 1 : 0
    method.auto_delete = declaration.isAutoDelete ? 1 : 0
    method.arguments = try arena.table(declaration.arguments.fieldTable)
    try send(AMQP_QUEUE_DECLARE_METHOD, method)
  }
}

extension BrokerHandle {
  func ack(_ tag: UInt64, multiple: Bool) throws(AMQPError) {
    try send(AMQP_BASIC_ACK_METHOD, amqp_basic_ack_t(delivery_tag: tag, multiple: multiple ? 1 : 0))
  }

  func nack(_ tag: UInt64, requeue: Bool) throws(AMQPError) {
    try send(AMQP_BASIC_NACK_METHOD, amqp_basic_nack_t(delivery_tag: tag, multiple: 0, requeue: requeue ? 1 : 0))
  }

  /// Tells the broker that this side closes the connection. The broker answers with `Incoming.closeAnswered`.
  func sendClose() throws(AMQPError) {
    var method = amqp_connection_close_t()
    method.reply_code = UInt16(AMQP_REPLY_SUCCESS)
    method.reply_text = try arena.text("closed by the client")
    try send(AMQP_CONNECTION_CLOSE_METHOD, method, channel: 0)
  }

  func answerConnectionClose() throws(AMQPError) {
    try send(AMQP_CONNECTION_CLOSE_OK_METHOD, amqp_connection_close_ok_t(), channel: 0)
  }

  func answerChannelClose() throws(AMQPError) {
    try send(AMQP_CHANNEL_CLOSE_OK_METHOD, amqp_channel_close_ok_t())
  }

  func answerCancel(tag: String) throws(AMQPError) {
    try send(AMQP_BASIC_CANCEL_OK_METHOD, amqp_basic_cancel_ok_t(consumer_tag: try arena.text(tag)))
  }

  func answerFlow(isActive: Bool) throws(AMQPError) {
    try send(AMQP_CHANNEL_FLOW_OK_METHOD, amqp_channel_flow_ok_t(active: isActive ? 1 : 0))
  }
}

extension ExchangeDeclaration.Kind {
  /// AMQP's name of the kind.
  var wireName: String {
    switch self {
    case .direct: "direct"
    case .fanout: "fanout"
    case .topic: "topic"
    case .named(let name): name
    }
  }
}
