import Decisions
import TestSupport
import Testing

private struct Count: SlotValue {
  var value = 0

  mutating func add(_ other: Count) { value += other.value }
}

@Suite("A ring of sums")
struct SlotRingTests {
  @Test("sums what a list of all values would, for any number of slots, however the time goes on")
  func property() {
    var random = SeededRandom(for: "slot ring")
    let (width, slots): (Int64, Int) = (7, 5)
    var ring = SlotRing<Count>(width: width, slots: slots)
    var all: [(slot: Int64, value: Int)] = []
    var now: Int64 = -300
    for _ in 0..<3_000 {
      now += [0, 1, 3, 7, 20, 34, 35, 36, 90].randomElement(using: &random) ?? 0
      let value = Int.random(in: 0...9, using: &random)
      ring.add(Count(value: value), at: .seconds(now))
      all.append((slot(now, width), value))
      let (asked, count) = (now + Int64.random(in: 0...40, using: &random), Int.random(in: 1...6, using: &random))
      let first = slot(asked, width) - Int64(min(count, slots)) + 1
      let expected = all.filter { $0.slot >= first }.reduce(0) { $0 + $1.value }
      #expect(ring.sum(of: count, at: .seconds(asked)).value == expected)
      all = Array(all.suffix(300))
    }
  }

  private func slot(_ second: Int64, _ width: Int64) -> Int64 {
    Int64((Double(second) / Double(width)).rounded(.down))
  }

  @Test("says how long ago its first slots began")
  func reach() {
    let ring = SlotRing<Count>(width: 10, slots: 30)
    #expect(ring.reach(of: 1, at: .seconds(123)) == .seconds(3))
    #expect(ring.reach(of: 2, at: .seconds(123)) == .seconds(13))
    #expect(ring.reach(at: .seconds(123)) == .seconds(293))
    #expect(ring.reach(of: 99, at: .seconds(123)) == .seconds(293))
  }
}
