import TestSupport
import Testing

@testable import AMQP

@Suite("Unacked deliveries")
struct UnackedDeliveriesTests {
  @Test("acks of all the oldest deliveries are said at once, the others one by one")
  func joinsAcks() throws {
    var unacked = UnackedDeliveries()
    for tag in 1...6 as ClosedRange<UInt64> { unacked.add(tag) }
    #expect(try unacked.remove([3, 1, 2, 5]) == .init(through: 3, singles: [5]))
    #expect(try unacked.remove([6]) == .init(through: nil, singles: [6]))
    #expect(try unacked.remove([4]) == .init(through: nil, singles: [4]))
    #expect(unacked.count == 0)
  }

  @Test("a tag is new when it is higher than all before, whatever was acked")
  func newTags() throws {
    var unacked = UnackedDeliveries()
    for tag in 1...3 as ClosedRange<UInt64> {
      #expect(unacked.isNew(tag))
      unacked.add(tag)
    }
    _ = try unacked.remove([1, 2, 3])
    #expect([0, 1, 3].allSatisfy { !unacked.isNew($0) } && unacked.isNew(4))
  }

  @Test("an unknown tag and one that occurs twice ack nothing")
  func refusesUnknownTags() throws {
    var unacked = UnackedDeliveries()
    for tag in 1...3 as ClosedRange<UInt64> { unacked.add(tag) }
    #expect(throws: UnackedDeliveries.notOutstanding(9)) { try unacked.remove([1, 9]) }
    #expect(throws: UnackedDeliveries.notOutstanding(2)) { try unacked.remove([2, 2]) }
    #expect(throws: UnackedDeliveries.notOutstanding(4)) { try unacked.remove(4) }
    #expect(unacked.count == 3)
    try unacked.remove(1)
    #expect(throws: UnackedDeliveries.notOutstanding(1)) { try unacked.remove(1) }
    #expect(unacked.count == 2)
  }

  @Test("an ack for many never reaches a delivery that was not meant")
  func neverAcksMore() throws {
    var random = SeededRandom(for: "UnackedDeliveries")
    for _ in 0..<200 {
      var unacked = UnackedDeliveries()
      var held = Set<UInt64>(1...40)
      for tag in held.sorted() { unacked.add(tag) }
      while !held.isEmpty {
        let chosen = Set(held.filter { _ in Bool.random(using: &random) })
        let acks = try unacked.remove(chosen.shuffled(using: &random))
        let reached = held.filter { $0 <= acks.through ?? 0 }.union(acks.singles)
        #expect(reached == chosen)
        held.subtract(chosen)
      }
    }
  }
}
