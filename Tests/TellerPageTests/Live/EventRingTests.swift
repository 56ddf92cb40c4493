import Teller
import Testing

@testable import TellerPage

@Suite("The ring of the last events")
struct EventRingTests {
  private func position(_ sequence: Int64, epoch: Int = 1) -> EventPosition {
    EventPosition(epoch: epoch, sequence: sequence)
  }

  private func ring(_ sequences: some Sequence<Int64>, limit: Int = 100) -> EventRing {
    var ring = EventRing(limit: limit)
    for sequence in sequences { ring.append(entry(sequence)) }
    return ring
  }

  private func entry(_ sequence: Int64?) -> EventRing.Entry {
    EventRing.Entry(position: sequence.map { position($0) }, json: [])
  }

  @Test("a stream goes on behind each of the events that are there, and behind the one before the first")
  func behind() {
    let ring = ring(5...9)
    #expect(ring.number(behind: position(4)) == 0)
    #expect(ring.number(behind: position(5)) == 1)
    #expect(ring.number(behind: position(9)) == 5)
    // Nobody knows what was between these and the first one.
    #expect(ring.number(behind: position(3)) == nil)
    #expect(ring.number(behind: position(7, epoch: 2)) == nil)
  }

  @Test("an event that is yet to come is waited for")
  func ahead() { #expect(ring(5...9).number(behind: position(12)) == 5) }

  @Test("an empty ring is followed from where somebody knows that all will come")
  func begin() {
    var ring = EventRing(limit: 10)
    #expect(ring.number(behind: position(7)) == nil)
    ring.begin(behind: position(7))
    #expect(ring.number(behind: position(7)) == 0)
    #expect(ring.number(behind: position(6)) == nil)
    ring.begin(behind: position(3))
    #expect(ring.number(behind: position(5)) == nil, "what is known already counts")
  }

  @Test("a ledger that was put back begins anew: what was before is forgotten, and streams go on in its new epoch")
  func epoch() {
    var ring = ring(5...9)
    ring.append(EventRing.Entry(position: position(3, epoch: 2), json: []))
    #expect(ring.number(behind: position(9)) == nil, "it needs a new picture")
    #expect(ring.number(behind: position(2, epoch: 2)) == 5 && ring.number(behind: position(3, epoch: 2)) == 6)
    #expect(ring.number(behind: position(1, epoch: 2)) == nil)
  }

  @Test("it never holds more than its limit, and forgets the oldest")
  func bounded() {
    let ring = ring(1...1_000, limit: 10)
    #expect((ring.first, ring.end) == (990, 1_000))
    #expect(ring.number(behind: position(990)) == 990)
    #expect(ring.number(behind: position(989)) == nil)
    #expect(ring.entries(0..<2_000).compactMap(\.position?.sequence) == Array(991...1_000))
  }

  @Test("live events have numbers, and no place")
  func live() {
    var ring = EventRing(limit: 3)
    for sequence in [1, nil, 2, nil, nil] as [Int64?] { ring.append(entry(sequence)) }
    #expect(ring.number(behind: position(1)) == 2)
    #expect(ring.last == position(2))
  }

  @Test("after a restart no earlier event is there, and numbers go on")
  func restart() {
    var ring = ring(1...5)
    ring.restart()
    #expect((ring.first, ring.end, ring.floor) == (5, 5, nil))
    #expect(ring.entries(0..<9).isEmpty)
  }
}
