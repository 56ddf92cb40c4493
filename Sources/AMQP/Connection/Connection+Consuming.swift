extension Connection {
  /// Consumes from a queue into an inbox of its own.
  package func consume(_ queue: String, options: ConsumeOptions) async throws(AMQPError) -> Consumer {
    let inbox = DeliveryInbox()
    return Consumer(tag: try await startConsumer(queue, options, inbox, isShared: false), inbox: inbox)
  }

  /// Consumes from a queue; the handler takes the deliveries on the thread of this connection, which it must not keep for long.
  ///
  /// - Returns: a consumer without deliveries to read; it ends as any other.
  package func consume(
    _ queue: String, options: ConsumeOptions, handler: @escaping @Sendable ([Delivery]) -> Void
  ) async throws(AMQPError) -> Consumer {
    let inbox = DeliveryInbox(handler: handler)
    return Consumer(tag: try await startConsumer(queue, options, inbox, isShared: false), inbox: inbox)
  }

  /// Consumes from a queue into an inbox that other consumers of this connection may share.
  ///
  /// - Returns: the consumer's tag.
  package func consume(
    _ queue: String, options: ConsumeOptions, into inbox: DeliveryInbox
  ) async throws(AMQPError) -> String {
    try await startConsumer(queue, options, inbox, isShared: true)
  }

  /// Ends a consumer. Deliveries that came before the broker's answer can still be read, and must be acked.
  package func cancel(_ consumerTag: String) async throws(AMQPError) {
    _ = try openHandle()
    if consumers.contains(consumerTag) { _ = try await request(.cancelConsumer(tag: consumerTag)) }
  }

  /// Acks a delivery of this connection: the broker forgets the message.
  ///
  /// - Throws: `.invalid` if the tag is not outstanding.
  package nonisolated(nonsending) func ack(_ deliveryTag: UInt64) async throws(AMQPError) {
    try await ack(contentsOf: [deliveryTag])
  }

  /// Acks deliveries with as few words to the broker as possible.
  ///
  /// - Throws: `.invalid` if one of the tags is not outstanding; then nothing is acked.
  package nonisolated(nonsending) func ack(contentsOf deliveryTags: [UInt64]) async throws(AMQPError) {
    if let result = ackAtOnce(deliveryTags) { return try result.get() }
    try await sendAcks(deliveryTags)
  }

  /// So many acks are small, as ``PublishCall/isSmall`` has it.
  private static let acksAtOnce = 256

  /// Acks from this thread while the connection's own thread only waits; nil: it does not.
  private nonisolated func ackAtOnce(_ deliveryTags: [UInt64]) -> Result<Void, AMQPError>? {
    guard deliveryTags.count <= Self.acksAtOnce else { return nil }
    var result: Result<Void, AMQPError>?
    _ = thread.borrow {
      result = assumeIsolated { connection in
        guard let handle = connection.handle, connection.maySendBorrowed(handle) else { return nil }
        return Result { () throws(AMQPError) in try connection.sendAcks(deliveryTags) }
      }
      return result != nil
    }
    return result
  }

  private func sendAcks(_ deliveryTags: [UInt64]) throws(AMQPError) {
    try sending { handle throws(AMQPError) in
      let acks = try consumers.unacked.remove(deliveryTags)
      if let tag = acks.through { try handle.ack(tag, multiple: true) }
      for tag in acks.singles { try handle.ack(tag, multiple: false) }
    }
  }

  /// Acks deliveries of this connection within a moment, together with those before and behind them.
  ///
  /// Does not wait, and fails never: a connection that has ended has no deliveries. ``close()`` sends what has not left.
  /// A tag that is not outstanding ends the connection.
  package nonisolated func ackSoon(contentsOf deliveryTags: [UInt64]) {
    guard gatheredAcks.add(deliveryTags, at: .now) else { return }
    // The turn behind the call sends them, or sees when to.
    thread.call {}
  }

  /// Sends the acks that are due. `all`: those that are not, too.
  func sendGatheredAcks(all: Bool = false) throws(AMQPError) {
    let tags = gatheredAcks.take(at: .now, all: all)
    if !tags.isEmpty { try sendAcks(tags) }
  }

  /// Gives a delivery back with `requeue`. Without `requeue` the broker drops or dead-letters the message.
  package func nack(_ deliveryTag: UInt64, requeue: Bool) throws(AMQPError) {
    try sending { handle throws(AMQPError) in
      try consumers.unacked.remove(deliveryTag)
      try handle.nack(deliveryTag, requeue: requeue)
    }
  }

  private func startConsumer(
    _ queue: String, _ options: ConsumeOptions, _ inbox: DeliveryInbox, isShared: Bool
  ) async throws(AMQPError) -> String {
    let tag = try consumers.freeTag(options.consumerTag)
    try PublishingChecks.checkShort(tag, "the consumer's tag")
    try PublishingChecks.checkShort(queue, "the queue's name")
    guard options.prefetch > 0 else { throw .invalid(reason: "a prefetch of 0 has no bound: give one of at least 1") }
    try checks.check(arguments: options.arguments)
    let start = Request.startConsumer(
      tag: tag, queue: queue, arguments: options.arguments, isExclusive: options.isExclusive)
    // The prefetch count holds for consumers that start after it: no other request may come between the two.
    try sending { handle throws(AMQPError) in
      try handle.send(.limitPrefetch(options.prefetch))
      try handle.send(start)
    }
    // Before the answer: the first delivery may be right behind it.
    consumers.add(tag, inbox: inbox, isShared: isShared)
    requests.append(
      .limitPrefetch(options.prefetch), deadline: .now + self.options.rpcTimeout, waiter: nil)
    _ = try await answer(to: start)
    return tag
  }
}
