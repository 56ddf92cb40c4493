import TestSupport
import Testing

@testable import AMQP

@Suite("Unsettled deliveries")
struct UnsettledDeliveriesTests {
  @Test("acks of all the oldest deliveries are said at once, the others one by one")
  func joinsAcks() throws {
    var unsettled = UnsettledDeliveries()
    for tag in 1...6 as ClosedRange<UInt64> { unsettled.delivered(tag) }
    #expect(try unsettled.settle([3, 1, 2, 5]) == .init(through: 3, singles: [5]))
    #expect(try unsettled.settle([6]) == .init(through: nil, singles: [6]))
    #expect(try unsettled.settle([4]) == .init(through: nil, singles: [4]))
    #expect(unsettled.count == 0)
  }

  @Test("a tag is new when it is higher than all before, whatever was settled")
  func newTags() throws {
    var unsettled = UnsettledDeliveries()
    for tag in 1...3 as ClosedRange<UInt64> {
      #expect(unsettled.isNew(tag))
      unsettled.delivered(tag)
    }
    _ = try unsettled.settle([1, 2, 3])
    #expect([0, 1, 3].allSatisfy { !unsettled.isNew($0) } && unsettled.isNew(4))
  }

  @Test("an unknown tag and one that occurs twice settle nothing")
  func refusesUnknownTags() throws {
    var unsettled = UnsettledDeliveries()
    for tag in 1...3 as ClosedRange<UInt64> { unsettled.delivered(tag) }
    #expect(throws: UnsettledDeliveries.UnknownTag(tag: 9)) { try unsettled.settle([1, 9]) }
    #expect(throws: UnsettledDeliveries.UnknownTag(tag: 2)) { try unsettled.settle([2, 2]) }
    #expect(throws: UnsettledDeliveries.UnknownTag(tag: 4)) { try unsettled.settle(4, multiple: true) }
    #expect(unsettled.count == 3)
    try unsettled.settle(2, multiple: true)
    #expect(throws: UnsettledDeliveries.UnknownTag(tag: 1)) { try unsettled.settle(1, multiple: false) }
    try unsettled.settle(0, multiple: true)
    #expect(unsettled.count == 0)
  }

  @Test("an ack for many never reaches a delivery that was not meant")
  func neverAcksMore() throws {
    var random = SeededRandom(for: "UnsettledDeliveries")
    for _ in 0..<200 {
      var unsettled = UnsettledDeliveries()
      var held = Set<UInt64>(1...40)
      for tag in held.sorted() { unsettled.delivered(tag) }
      while !held.isEmpty {
        let chosen = Set(held.filter { _ in Bool.random(using: &random) })
        let acks = try unsettled.settle(chosen.shuffled(using: &random))
        let reached = held.filter { $0 <= acks.through ?? 0 }.union(acks.singles)
        #expect(reached == chosen)
        held.subtract(chosen)
      }
    }
  }
}
