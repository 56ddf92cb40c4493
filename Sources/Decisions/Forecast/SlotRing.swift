import JobModel

/// What a slot of a ``SlotRing`` holds: it begins with nothing, and is added up.
package protocol SlotValue: Hashable, Sendable {
  init()
  mutating func add(_ other: Self)
}

/// Sums of the last stretch of time, in slots of one width. A pure value: it has so many slots, however much is added.
package struct SlotRing<Value: SlotValue>: Hashable, Sendable {
  /// How long a slot lasts, in seconds.
  package let width: Int64
  /// The value of a slot stands at the remainder of its number.
  private var slots: [Value]
  /// The slot that was added to last.
  private var last = Int64.min

  package init(width: Int64, slots count: Int) {
    self.width = width
    slots = [Value](repeating: Value(), count: count)
  }

  package var count: Int { slots.count }

  /// Adds to the slot of this moment. A slot that is over already counts as the last one.
  package mutating func add(_ value: Value, at now: Duration) {
    goOn(to: number(at: now))
    slots[place(last)].add(value)
  }

  /// The sum of the slot of this moment and of those before it, `count` slots in all; nil: all of the ring.
  package func sum(of count: Int? = nil, at now: Duration) -> Value {
    var (sum, present) = (Value(), number(at: now))
    if last > present { present = last }
    let first = present - Int64(min(count ?? slots.count, slots.count)) + 1
    guard last >= first else { return sum }
    for number in max(first, last.clampedAdding(1 - Int64(slots.count)))...last { sum.add(slots[place(number)]) }
    return sum
  }

  /// How long ago the first of these slots began.
  package func reach(of count: Int? = nil, at now: Duration) -> Duration {
    now - .seconds((number(at: now) - Int64(min(count ?? slots.count, slots.count)) + 1) * width)
  }

  /// Forgets the slots that have left the ring.
  private mutating func goOn(to number: Int64) {
    guard number > last else { return }
    for passed in max(last.clampedAdding(1), number - Int64(slots.count) + 1)...number {
      slots[place(passed)] = Value()
    }
    last = number
  }

  private func number(at now: Duration) -> Int64 {
    let seconds = now.components.seconds
    return seconds >= 0 ? seconds / width : (seconds - width + 1) / width
  }

  private func place(_ number: Int64) -> Int {
    let rest = Int(number % Int64(slots.count))
    return rest < 0 ? rest + slots.count : rest
  }
}
