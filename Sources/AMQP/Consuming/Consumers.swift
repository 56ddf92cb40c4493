/// The consumers of one connection, and their deliveries: first on the way to an inbox, then without an ack.
struct Consumers {
  private struct Entry {
    let inbox: DeliveryInbox
    /// Whether other consumers may use the same inbox. Such an inbox goes on when this consumer ends.
    let isShared: Bool
  }

  private var entries: [String: Entry] = [:]
  /// Every inbox that is not finished. A shared inbox may have no consumer for a while.
  private var inboxes: [ObjectIdentifier: DeliveryInbox] = [:]
  private var staged = StagedDeliveries()
  var unacked = UnackedDeliveries()
  private var lastNumber = 0

  /// Whether nothing is consumed, and every delivery is acked.
  var areNone: Bool { entries.isEmpty && unacked.count == 0 }

  func contains(_ tag: String) -> Bool { entries[tag] != nil }

  /// - Parameter wanted: `nil` or empty: this connection chooses a tag, such as `consumer-1`.
  /// - Returns: a tag that no consumer has.
  /// - Throws: `.invalid` if a consumer has the wanted tag.
  mutating func freeTag(_ wanted: String?) throws(AMQPError) -> String {
    if let wanted, !wanted.isEmpty {
      if contains(wanted) { throw .invalid(reason: "consumer tag '\(wanted)' is in use on this connection") }
      return wanted
    }
    repeat { lastNumber += 1 } while contains("consumer-\(lastNumber)")
    return "consumer-\(lastNumber)"
  }

  mutating func add(_ tag: String, inbox: DeliveryInbox, isShared: Bool) {
    entries[tag] = Entry(inbox: inbox, isShared: isShared)
    inboxes[ObjectIdentifier(inbox)] = inbox
  }

  /// The consumer is cancelled. Its readers still get the deliveries that have come.
  mutating func cancel(_ tag: String) {
    guard let entry = entries.removeValue(forKey: tag), !entry.isShared else { return }
    staged.handOver()
    inboxes[ObjectIdentifier(entry.inbox)] = nil
    entry.inbox.finish(droppingRest: false)
  }

  /// The connection has ended. Its deliveries are void.
  mutating func removeAll() {
    staged.drop()
    for inbox in inboxes.values { inbox.finish(droppingRest: true) }
    entries.removeAll()
    inboxes.removeAll()
  }
}

extension Consumers {
  /// Takes a delivery. Its inbox gets it with `handOver`.
  ///
  /// - Throws: `.connectionLost` if the delivery was damaged on its way. Nobody could ack it, and it would keep its place
  ///   in the prefetch until the connection ends.
  mutating func deliver(_ head: DeliveryHead, _ message: AssembledMessage) throws(AMQPError) {
    guard unacked.isNew(head.deliveryTag) else {
      throw .connectionLost(reason: "delivery \(head.deliveryTag) came behind a later one: it was damaged on its way")
    }
    guard let inbox = entries[head.consumerTag]?.inbox else {
      throw .connectionLost(reason: "a delivery names a consumer that there is not: an ended one, or it was damaged")
    }
    unacked.add(head.deliveryTag)
    let delivery = Delivery(
      consumerTag: head.consumerTag, deliveryTag: head.deliveryTag, isRedelivered: head.isRedelivered,
      exchange: head.exchange, routingKey: head.routingKey, properties: message.properties, body: message.body,
      beginning: message.beginning)
    staged.add(delivery, for: inbox)
  }

  mutating func handOver() { staged.handOver() }
}
