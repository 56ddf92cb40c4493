import JobModel

/// The deliveries of one department that wait in a worker's hands for a teller. A pure value.
struct WaitingDeliveries: Sendable {
  private struct Waiting {
    let delivery: DeliveredAssignment
    let since: ContinuousClock.Instant
  }

  /// In the order of their arrival.
  private var deliveries: [Waiting] = []

  var isEmpty: Bool { deliveries.isEmpty }
  var all: [DeliveredAssignment] { deliveries.map(\.delivery) }

  mutating func keep(_ delivery: DeliveredAssignment, since now: ContinuousClock.Instant) {
    deliveries.append(Waiting(delivery: delivery, since: now))
  }

  /// The next one that may be started: the first to arrive, or the first of the highest priority.
  func next(byPriority: Bool, where isStartable: (DeliveredAssignment) -> Bool) -> DeliveredAssignment? {
    let startable = deliveries.indices.filter { isStartable(deliveries[$0].delivery) }
    let next =
      byPriority ? startable.max { (priority(at: $0), -$0) < (priority(at: $1), -$1) } : startable.first
    return next.map { deliveries[$0].delivery }
  }

  private func priority(at index: Int) -> Priority { deliveries[index].delivery.assignment.priority }

  /// Takes out that delivery of a release.
  mutating func take(_ release: ReleaseID, tag: UInt64) -> DeliveredAssignment? {
    let index = deliveries.firstIndex { $0.delivery.assignment.release == release && $0.delivery.tag == tag }
    return index.map { deliveries.remove(at: $0).delivery }
  }

  /// Takes out everything that a consumer has delivered.
  mutating func takeAll(of consumer: String) -> [DeliveredAssignment] {
    let taken = deliveries.filter { $0.delivery.consumer == consumer }.map(\.delivery)
    if !taken.isEmpty { deliveries.removeAll { $0.delivery.consumer == consumer } }
    return taken
  }

  /// The consumers with a delivery that has waited since before a moment.
  func consumers(waitingSince limit: ContinuousClock.Instant) -> Set<String> {
    Set(deliveries.filter { $0.since < limit }.map(\.delivery.consumer))
  }
}
