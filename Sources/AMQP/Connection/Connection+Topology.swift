extension Connection {
  /// Makes an exchange, or checks that the existing one is the same (406 if it is not).
  package func declare(_ exchange: ExchangeDeclaration) async throws(AMQPError) {
    try PublishingChecks.checkShort(exchange.name, "the exchange's name")
    try PublishingChecks.checkShort(exchange.kind.wireName, "the exchange's kind")
    if let alternate = exchange.alternate {
      try PublishingChecks.checkShort(alternate, "the alternate exchange's name")
    }
    _ = try await request(.declareExchange(exchange))
  }

  /// Deletes an exchange with its bindings. Nothing happens if there is no such exchange.
  package func delete(exchange: String) async throws(AMQPError) {
    try PublishingChecks.checkShort(exchange, "the exchange's name")
    _ = try await request(.deleteExchange(exchange))
  }

  /// Makes a queue, or checks that the existing one is the same (406 if it is not).
  ///
  /// - Returns: the queue's name, which the broker may have chosen, and how full the queue is.
  @discardableResult
  package func declare(_ queue: QueueDeclaration) async throws(AMQPError) -> QueueDeclared {
    try PublishingChecks.checkShort(queue.name, "the queue's name")
    guard case .queueDeclared(let declared) = try await request(.declareQueue(queue)) else { throw .closed }
    return declared
  }

  /// Tells an exchange to route messages of that key into a queue. Nothing happens if it does so already.
  package func bind(queue: String, exchange: String, routingKey: String) async throws(AMQPError) {
    try PublishingChecks.checkShort(queue, "the queue's name")
    try PublishingChecks.checkShort(exchange, "the exchange's name")
    try PublishingChecks.checkShort(routingKey, "the routing key")
    _ = try await request(.bindQueue(queue, exchange: exchange, routingKey: routingKey))
  }

  /// Deletes a queue with its messages. Nothing happens if there is no such queue.
  package func delete(queue: String) async throws(AMQPError) {
    try PublishingChecks.checkShort(queue, "the queue's name")
    _ = try await request(.deleteQueue(queue))
  }
}
