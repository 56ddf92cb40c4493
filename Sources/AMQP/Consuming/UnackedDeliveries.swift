/// The deliveries that wait for an ack or a nack.
///
/// A pure value. It refuses a tag that is not outstanding, because the broker would close the channel over it. It also
/// finds the acks that one word to the broker can say.
struct UnackedDeliveries {
  /// The acks for a set of tags: one for all tags up to `through`, then one for each of the others.
  ///
  /// Example: 1 to 6 are outstanding. The acks of 3, 1, 2 and 5 are "all through 3" and "5".
  struct Acks: Hashable {
    var through: UInt64?
    var singles: [UInt64]
  }

  private var window = TagWindow<Void>()
  private var last: UInt64 = 0

  var count: Int { window.count }

  /// Whether a delivery can have that tag: the broker counts them up.
  func isNew(_ tag: UInt64) -> Bool { tag > last }

  mutating func add(_ tag: UInt64) {
    last = tag
    window.append((), tag: tag)
  }

  /// A delivery is acked or nacked now.
  ///
  /// - Throws: `.invalid` if the tag is not outstanding.
  mutating func remove(_ tag: UInt64) throws(AMQPError) {
    guard window.remove(tag) != nil else { throw Self.notOutstanding(tag) }
  }

  /// Deliveries are acked now.
  ///
  /// - Returns: the acks to send.
  /// - Throws: `.invalid` if a tag is not outstanding or occurs twice; then no tag is removed.
  mutating func remove(_ tags: [UInt64]) throws(AMQPError) -> Acks {
    let sorted = tags.sorted()
    var previous: UInt64?
    for tag in sorted {
      guard tag != previous, window.contains(tag) else { throw Self.notOutstanding(tag) }
      previous = tag
    }
    var cumulative = 0
    while cumulative < sorted.count, window.oldest == sorted[cumulative] {
      _ = window.remove(sorted[cumulative])
      cumulative += 1
    }
    // One tag alone is a single ack: the broker does the same, and a trace of the wire is plainer.
    if cumulative == 1 && sorted.count == 1 { return Acks(through: nil, singles: sorted) }
    let singles = Array(sorted[cumulative...])
    for tag in singles { _ = window.remove(tag) }
    return Acks(through: cumulative > 0 ? sorted[cumulative - 1] : nil, singles: singles)
  }

  static func notOutstanding(_ tag: UInt64) -> AMQPError {
    .invalid(reason: "delivery \(tag) is not outstanding on this connection: it was acked before or is another's")
  }
}
