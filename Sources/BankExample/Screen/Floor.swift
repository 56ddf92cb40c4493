import Teller

/// The customers who wait and who are served at each counter. For the screen alone.
///
/// An event may be missing, late, or come twice. The start of a short visit is never told. The end of a visit is told
/// twice: by an event, and by the outcome.
struct Floor: Hashable, Sendable {
  /// The counter of one department.
  struct Counter: Hashable, Sendable {
    /// Numbers of customers, in the order they came.
    var waiting: [Int] = []
    var serving: [Int] = []
    var served = 0
    var failed = 0
  }

  private(set) var counters: [Business: Counter] = [:]
  var opening = Opening()
  /// Whether customers who come wait for a teller; else they wait at the door.
  var isOpen = true
  /// The reasons why the day does not go on now.
  var obstacles: [Obstacle] = []

  /// Whether a customer waits or is served.
  var isBusy: Bool { counters.values.contains { !$0.waiting.isEmpty || !$0.serving.isEmpty } }
  var served: Int { counters.values.reduce(0) { $0 + $1.served } }

  mutating func entered(_ customers: [Customer]) {
    for customer in customers { counters[customer.business, default: Counter()].waiting.append(customer.number) }
  }

  /// - Returns: false when the customer does not wait, or no longer.
  mutating func started(_ customer: Customer) -> Bool {
    guard let place = counters[customer.business]?.waiting.firstIndex(of: customer.number) else { return false }
    counters[customer.business]?.waiting.remove(at: place)
    counters[customer.business]?.serving.append(customer.number)
    return true
  }

  /// - Returns: false when the customer has left already.
  mutating func ended(_ customer: Customer, well: Bool) -> Bool {
    guard var counter = counters[customer.business] else { return false }
    let here = counter.waiting.count + counter.serving.count
    counter.waiting.removeAll { $0 == customer.number }
    counter.serving.removeAll { $0 == customer.number }
    if counter.waiting.count + counter.serving.count == here { return false }
    if well { counter.served += 1 } else { counter.failed += 1 }
    counters[customer.business] = counter
    return true
  }
}
