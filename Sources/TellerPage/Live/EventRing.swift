import DequeModule
import Teller

/// The last events, each with a number that counts them. A pure value of bounded size: a stream holds nothing but the number
/// of its next event.
struct EventRing {
  /// An event as it is sent.
  struct Entry: Hashable, Sendable {
    /// Nil: the event is live, and recorded nowhere.
    let position: EventPosition?
    let json: [UInt8]
  }

  let limit: Int
  private var entries: Deque<Entry> = []
  /// The number of the first entry.
  private(set) var first = 0
  /// Every recorded event behind this one is here, or is still to come; nil: nobody knows which are missing.
  private(set) var floor: EventPosition?

  init(limit: Int) { self.limit = limit }

  /// The number of the next event.
  var end: Int { first + entries.count }

  /// The last recorded event; nil: there is none.
  var last: EventPosition? { entries.last { $0.position != nil }?.position }

  /// Adds an event. Beyond the limit the oldest one goes.
  mutating func append(_ entry: Entry) {
    if let position = entry.position, floor?.epoch != position.epoch {
      // The events of one epoch have no gaps. A ledger that was put back begins another one: what was before is no longer so.
      if floor != nil { restart() }
      floor = EventPosition(epoch: position.epoch, sequence: position.sequence - 1)
    }
    entries.append(entry)
    guard entries.count > limit, let oldest = entries.popFirst() else { return }
    first += 1
    floor = oldest.position ?? floor
  }

  /// Notes that all events behind that one will come, if nothing is known about that yet.
  mutating func begin(behind position: EventPosition) { floor = floor ?? position }

  /// Forgets all events: some were missed.
  mutating func restart() {
    first = end
    entries = []
    floor = nil
  }

  /// The number of the first event behind that position; nil: some behind it are not here.
  func number(behind position: EventPosition) -> Int? {
    guard let floor, floor.epoch == position.epoch, floor <= position else { return nil }
    let found = entries.firstIndex { $0.position.map { $0 > position } ?? false }
    return found.map { first + $0 } ?? end
  }

  /// The events with these numbers, as far as they are here.
  func entries(_ numbers: Range<Int>) -> some Collection<Entry> {
    let here = numbers.clamped(to: first..<end)
    return entries[(here.lowerBound - first)..<(here.upperBound - first)]
  }
}
