extension Connection {
  /// Consumes from a queue, with a stream of its own.
  package func consume(_ queue: String, options: ConsumeOptions) async throws(AMQPError) -> Consumer {
    let inbox = DeliveryInbox()
    let tag = try await startConsumer(queue, options: options, entry: ConsumerEntry(inbox: inbox, isShared: false))
    return Consumer(tag: tag, inbox: inbox)
  }

  /// Consumes from a queue into an inbox that other consumers of this connection may share.
  ///
  /// - Returns: the consumer's tag.
  package func consume(
    _ queue: String, options: ConsumeOptions, into inbox: DeliveryInbox
  ) async throws(AMQPError) -> String {
    let entry = ConsumerEntry(inbox: inbox, isShared: true)
    return try await startConsumer(queue, options: options, entry: entry)
  }

  /// Ends a consumer. Deliveries that came before the broker's answer can still be read and are to be settled.
  package func cancel(_ consumerTag: String) async throws(AMQPError) {
    guard consumers[consumerTag] != nil else {
      _ = try openHandle()
      return
    }
    _ = try await request(.cancel(tag: consumerTag))
  }

  /// Acks a delivery: it is done with.
  ///
  /// - Parameters:
  ///   - deliveryTag: from a delivery of this connection.
  ///   - multiple: whether to ack all earlier deliveries too; then tag 0 means all there are.
  /// - Throws: `.invalid` if the tag is not outstanding.
  package func ack(_ deliveryTag: UInt64, multiple: Bool = false) throws(AMQPError) {
    try settle(deliveryTag, .ack, multiple: multiple)
  }

  /// Acks deliveries, in as few words to the broker as possible. Nothing is acked if one of them is not outstanding.
  package func ack(contentsOf deliveryTags: [UInt64]) throws(AMQPError) {
    _ = try openHandle()
    let acks: UnsettledDeliveries.Acks
    do throws(UnsettledDeliveries.UnknownTag) {
      acks = try unsettled.settle(deliveryTags)
    } catch {
      throw Self.notOutstanding(error.tag)
    }
    try sending { handle throws(AMQPError) in
      if let tag = acks.through { try handle.settle(tag, .ack, multiple: true) }
      for tag in acks.singles { try handle.settle(tag, .ack, multiple: false) }
    }
  }

  /// Gives a delivery back (`requeue`), or drops or dead-letters it.
  package func nack(_ deliveryTag: UInt64, requeue: Bool) throws(AMQPError) {
    try settle(deliveryTag, .nack(requeue: requeue), multiple: false)
  }

  /// As `nack`, in AMQP's older words.
  package func reject(_ deliveryTag: UInt64, requeue: Bool) throws(AMQPError) {
    try settle(deliveryTag, .reject(requeue: requeue), multiple: false)
  }

  private func settle(
    _ tag: UInt64, _ settlement: BrokerHandle.Settlement, multiple: Bool
  ) throws(AMQPError) {
    _ = try openHandle()
    do throws(UnsettledDeliveries.UnknownTag) {
      try unsettled.settle(tag, multiple: multiple)
    } catch {
      throw Self.notOutstanding(error.tag)
    }
    try sending { handle throws(AMQPError) in try handle.settle(tag, settlement, multiple: multiple) }
  }

  private static func notOutstanding(_ tag: UInt64) -> AMQPError {
    .invalid(reason: "delivery \(tag) is not outstanding on this connection: it was settled before or is another's")
  }

  private func startConsumer(
    _ queue: String, options: ConsumeOptions, entry: ConsumerEntry
  ) async throws(AMQPError) -> String {
    let tag = try consumerTag(options)
    try PublishingChecks.checkShort(queue, "the queue's name")
    guard options.prefetch > 0 else { throw .invalid(reason: "a prefetch of 0 has no bound: give one of at least 1") }
    try checks.check(arguments: options.arguments)
    let consume = Request.consume(
      queue: queue, tag: tag, isExclusive: options.isExclusive, arguments: options.arguments)
    // The prefetch count holds for consumers made after it: the two go out together, with nobody else's between.
    try sending { handle throws(AMQPError) in
      try handle.send(.limitPrefetch(options.prefetch))
      try handle.send(consume)
    }
    // Before the answer: the first delivery may be right behind it.
    consumers[tag] = entry
    if entry.isShared { sharedInboxes[ObjectIdentifier(entry.inbox)] = entry.inbox }
    expect(.limitPrefetch(options.prefetch), waiter: nil)
    _ = try await answer(to: consume)
    return tag
  }

  private func consumerTag(_ options: ConsumeOptions) throws(AMQPError) -> String {
    if let tag = options.consumerTag, !tag.isEmpty {
      try PublishingChecks.checkShort(tag, "the consumer's tag")
      guard consumers[tag] == nil else { throw .invalid(reason: "consumer tag '\(tag)' is in use on this connection") }
      return tag
    }
    repeat { lastConsumer += 1 } while consumers["consumer-\(lastConsumer)"] != nil
    return "consumer-\(lastConsumer)"
  }
}
