extension Connection {
  /// Makes an exchange, or checks that the one there is the same (406 if it is not).
  package func declare(_ exchange: ExchangeDeclaration) async throws(AMQPError) {
    try PublishingChecks.checkShort(exchange.name, "the exchange's name")
    try PublishingChecks.checkShort(exchange.kind.wireName, "the exchange's kind")
    _ = try await request(.declareExchange(exchange))
  }

  /// Makes a queue, or checks that the one there is the same (406 if it is not).
  ///
  /// - Returns: its name, which is news if the broker chose it, and how full it is.
  @discardableResult
  package func declare(_ queue: QueueDeclaration) async throws(AMQPError) -> QueueDeclared {
    try PublishingChecks.checkShort(queue.name, "the queue's name")
    guard case .queueDeclared(let declared) = try await request(.declareQueue(queue)) else { throw .closed }
    return declared
  }

  /// Has an exchange route messages of that key into a queue. Nothing happens if it does already.
  package func bind(queue: String, exchange: String, routingKey: String) async throws(AMQPError) {
    try PublishingChecks.checkShort(queue, "the queue's name")
    try PublishingChecks.checkShort(exchange, "the exchange's name")
    try PublishingChecks.checkShort(routingKey, "the routing key")
    _ = try await request(.bind(queue: queue, exchange: exchange, routingKey: routingKey))
  }

  /// Deletes a queue with its messages. Nothing happens if there is none.
  package func delete(queue: String) async throws(AMQPError) {
    try PublishingChecks.checkShort(queue, "the queue's name")
    _ = try await request(.deleteQueue(queue))
  }

  /// Drops the messages of a queue that are ready; those delivered and not acked stay.
  ///
  /// - Returns: how many there were.
  @discardableResult
  package func purge(queue: String) async throws(AMQPError) -> Int {
    try PublishingChecks.checkShort(queue, "the queue's name")
    guard case .queuePurged(let count) = try await request(.purgeQueue(queue)) else { throw .closed }
    return count
  }
}
