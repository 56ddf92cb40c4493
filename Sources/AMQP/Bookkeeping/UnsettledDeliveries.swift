/// The deliveries that wait for an ack, a nack or a reject.
///
/// A pure value. It refuses a tag that is not outstanding, because the broker would close the channel over it, and finds
/// out which acks can be said at once.
struct UnsettledDeliveries {
  /// What to send for a set of acks: all up to one tag, then the others one by one.
  struct Acks: Hashable {
    var through: UInt64?
    var singles: [UInt64]
  }

  /// A tag that is not outstanding on this connection.
  struct UnknownTag: Error, Hashable {
    let tag: UInt64
  }

  private var window = TagWindow<Void>()
  private var last: UInt64 = 0

  var count: Int { window.count }

  /// Whether a delivery can have that tag: the broker counts them up.
  func isNew(_ tag: UInt64) -> Bool { tag > last }

  mutating func delivered(_ tag: UInt64) {
    last = tag
    window.append((), tag: tag)
  }

  mutating func settle(_ tag: UInt64, multiple: Bool) throws(UnknownTag) {
    guard multiple else {
      guard window.remove(tag) != nil else { throw UnknownTag(tag: tag) }
      return
    }
    // Tag 0 with `multiple` means all; another tag has to be outstanding, as the broker checks it too.
    guard tag == 0 || window.contains(tag) else { throw UnknownTag(tag: tag) }
    while window.removeOldest(through: tag == 0 ? .max : tag) != nil {}
  }

  /// Settles a set of tags. Nothing is settled when one of them is unknown or occurs twice.
  mutating func settle(_ tags: [UInt64]) throws(UnknownTag) -> Acks {
    let sorted = tags.sorted()
    var previous: UInt64?
    for tag in sorted {
      guard tag != previous, window.contains(tag) else { throw UnknownTag(tag: tag) }
      previous = tag
    }
    var cumulative = 0
    while cumulative < sorted.count, window.oldest == sorted[cumulative] {
      _ = window.remove(sorted[cumulative])
      cumulative += 1
    }
    // One tag alone is a single ack: the same for the broker, and plainer on the wire.
    if cumulative == 1 && sorted.count == 1 { return Acks(through: nil, singles: sorted) }
    let singles = Array(sorted[cumulative...])
    for tag in singles { _ = window.remove(tag) }
    return Acks(through: cumulative > 0 ? sorted[cumulative - 1] : nil, singles: singles)
  }
}
