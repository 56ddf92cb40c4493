/// Deliveries that were read in this turn and are not in their inbox yet. Handed over together they wake a reader once.
struct StagedDeliveries {
  private var inbox: DeliveryInbox?
  private var deliveries: [Delivery] = []

  /// Keeps the order of the wire within each inbox.
  mutating func add(_ delivery: Delivery, for inbox: DeliveryInbox) {
    if self.inbox !== inbox { handOver() }
    self.inbox = inbox
    deliveries.append(delivery)
  }

  mutating func handOver() {
    guard let inbox, !deliveries.isEmpty else { return }
    inbox.append(deliveries)
    deliveries.removeAll(keepingCapacity: true)
  }

  mutating func drop() {
    inbox = nil
    deliveries = []
  }
}
