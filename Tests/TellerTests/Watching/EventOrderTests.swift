import JobModel
import Testing
import TestSupport

@testable import Teller

@Suite("The order of events")
struct EventOrderTests {
  private func batch(_ range: ClosedRange<Int64>, epoch: Int = 1, ledger: String = "a") -> NotificationBatch {
    let notifications = range.map { number in
      Notification(
        seq: number, job: JobID(), kind: "k", department: "d", event: "succeeded", attempt: 1,
        at: Timestamp(milliseconds: 0))
    }
    return NotificationBatch(ledger: LedgerID(ledger), epoch: epoch, notifications: notifications)
  }

  private func delivered(_ step: EventOrder.Step) -> [Int64]? {
    guard case .deliver(let events) = step else { return nil }
    return events.compactMap(\.position?.sequence)
  }

  @Test("what came before is dropped, what overlaps is cut")
  func duplicates() {
    var order = EventOrder(after: nil)
    #expect(delivered(order.receive(batch(5...7))) == [5, 6, 7])
    #expect(delivered(order.receive(batch(5...7))) == [])
    #expect(delivered(order.receive(batch(6...9))) == [8, 9])
    #expect(order.last == EventPosition(epoch: 1, sequence: 9))
  }

  @Test("what comes too early waits for what is missing")
  func gap() {
    var order = EventOrder(after: EventPosition(epoch: 1, sequence: 2))
    #expect(order.receive(batch(6...7)) == .awaitMissing)
    #expect(order.receive(batch(4...4)) == .awaitMissing)
    #expect(order.missing?.before == EventPosition(epoch: 1, sequence: 4))
    #expect(delivered(order.receive(batch(3...3))) == [3, 4])
    #expect(order.isWaiting)
    #expect(delivered(order.receive(batch(5...5))) == [5, 6, 7])
    #expect(!order.isWaiting)
  }

  @Test("once a watch has begun, an event that is missing behind what is older than the watch is missed")
  func begun() {
    var order = EventOrder(after: nil)
    order.pass(batch(1...4))
    #expect(delivered(order.receive(batch(3...3))) == [], "older than the watch")
    var early = order
    #expect(delivered(early.receive(batch(6...7))) == [6, 7])
    order.begin()
    #expect(order.receive(batch(6...7)) == .awaitMissing)
    #expect(order.missing?.after == EventPosition(epoch: 1, sequence: 4))
    #expect(delivered(order.receive(batch(5...5))) == [5, 6, 7])
  }

  @Test("a new epoch, or another ledger, begins anew")
  func epochs() {
    var order = EventOrder(after: nil)
    #expect(delivered(order.receive(batch(1...9))) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(delivered(order.receive(batch(7...8, epoch: 2))) == [7, 8])
    #expect(delivered(order.receive(batch(10...10, epoch: 1))) == [], "an old epoch has nothing more to say")
    #expect(delivered(order.receive(batch(1...2, ledger: "b"))) == [1, 2])
  }

  @Test("more than can be held back is given up with what is missing")
  func limit() {
    var order = EventOrder(after: EventPosition(epoch: 1, sequence: 0))
    for number in 1...Int64(EventOrder.heldLimit) {
      #expect(order.receive(batch((number * 2)...(number * 2))) == .awaitMissing)
    }
    let missing = EventOrder.Step.giveUp(
      after: EventPosition(epoch: 1, sequence: 0), before: EventPosition(epoch: 1, sequence: 2))
    #expect(order.receive(batch(2_000...2_000)) == missing)
  }

  @Test("however messages are cut, repeated and swapped, every event is delivered once and in order")
  func property() {
    var random = SeededRandom(for: "EventOrderTests.property")
    for _ in 0..<200 {
      var messages: [NotificationBatch] = []
      var next: Int64 = 1
      while next <= 60 {
        let last = min(60, next + Int64.random(in: 0...9, using: &random))
        messages.append(batch(next...last))
        next = last + 1
      }
      let again = messages.filter { _ in Bool.random(using: &random) }
      var arriving = messages + again
      // The first message decides where the sequence begins.
      let rest = arriving.dropFirst().shuffled(using: &random)
      arriving = [arriving[0]] + rest
      var order = EventOrder(after: nil)
      let events = arriving.flatMap { delivered(order.receive($0)) ?? [] }
      #expect(events == Array(1...60))
      #expect(!order.isWaiting)
    }
  }
}
