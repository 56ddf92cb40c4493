import TestSupport
import Testing

@testable import AMQP

@Suite("Acks that wait for others")
struct GatheredAcksTests {
  private let start = ContinuousClock.now

  @Test("the connection's thread is woken by the first that there are, and by those that are enough")
  func wakes() {
    let acks = GatheredAcks()
    #expect(acks.add([1], at: start))
    #expect(!acks.add([2], at: start))
    _ = acks.take(at: start, all: true)
    #expect(!acks.add([3], at: start))
    #expect(acks.add(Array(repeating: 4, count: GatheredAcks.limit - 1), at: start))
  }

  @Test("they leave when the first has waited long enough, together")
  func due() {
    let acks = GatheredAcks()
    _ = acks.add([1], at: start)
    #expect(!acks.add([2], at: start + GatheredAcks.delay / 2))
    #expect(acks.take(at: start + GatheredAcks.delay / 2).isEmpty)
    #expect(acks.take(at: start + GatheredAcks.delay) == [1, 2])
    #expect(acks.take(at: start + GatheredAcks.delay * 9).isEmpty)
  }

  @Test("so many wait no longer, and the end of a connection waits for none")
  func enough() {
    let acks = GatheredAcks()
    let tags = (1...UInt64(GatheredAcks.limit)).map(\.self)
    _ = acks.add(tags.dropLast(), at: start)
    #expect(acks.add(tags.suffix(1), at: start))
    #expect(acks.take(at: start) == tags)
    _ = acks.add([99], at: start)
    #expect(acks.take(at: start, all: true) == [99])
  }

  @Test("a connection looks again while acks wait, or may come; one that gathers none never does")
  func looks() {
    let acks = GatheredAcks()
    #expect(acks.nextLook(isExpecting: true, from: start) == nil)
    _ = acks.add([1], at: start)
    #expect(acks.nextLook(isExpecting: false, from: start) == start + GatheredAcks.delay)
    _ = acks.take(at: start, all: true)
    #expect(acks.nextLook(isExpecting: false, from: start) == nil)
    #expect(acks.nextLook(isExpecting: true, from: start) == start + GatheredAcks.delay)
  }
}
