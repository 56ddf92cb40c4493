/// Who waits at each counter and who is served: what the screen shows, and nothing else is decided by it.
///
/// Events may be missing, late, or come twice: a short visit is never seen being served, and the end of a visit is both
/// announced to everybody and told to whoever waits for it.
struct Floor: Hashable, Sendable {
  /// One department's side of the room.
  struct Counter: Hashable, Sendable {
    /// Numbers of customers, in the order they came.
    var waiting: [Int] = []
    var serving: [Int] = []
    var served = 0
    var failed = 0
  }

  private(set) var counters: [Business: Counter] = [:]
  /// The steps of the opening that are done, in the order they ended.
  private(set) var steps: [String] = []

  /// Whether anybody waits or is served.
  var isBusy: Bool { counters.values.contains { !$0.waiting.isEmpty || !$0.serving.isEmpty } }
  var served: Int { counters.values.reduce(0) { $0 + $1.served } }

  /// - Returns: false when that was known already.
  mutating func ended(step: String) -> Bool {
    if steps.contains(step) { return false }
    steps.append(step)
    return true
  }

  mutating func entered(_ customers: [Customer]) {
    for customer in customers { counters[customer.business, default: Counter()].waiting.append(customer.number) }
  }

  /// - Returns: false when the customer does not wait (any more).
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
