import JobModel
import Testing

@testable import Ledger

@Suite("subscribers")
struct SubscriberTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func record(
    _ name: SubscriberName, _ epoch: Int, _ seq: Int64, offset: Int64? = nil, seen: Int64 = 10
  ) -> SubscriberRecord {
    SubscriberRecord(
      name: name, position: NotificationPosition(epoch: epoch, seq: seq), offset: offset, seenAt: .test(seen))
  }

  @Test("have one place each, until they are forgotten")
  func places() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.subscriber("audit") == nil)
        for place in [record("audit", 1, 7), record("audit", 2, 5, offset: 99), record("chat", 2, 6)] {
          try transaction.keepPlace(place)
        }
        #expect(try transaction.subscriber("audit") == record("audit", 2, 5, offset: 99))
        #expect(try transaction.subscriberCount() == 2)
        #expect(try transaction.forgetSubscriber("audit"))
        #expect(try !transaction.forgetSubscriber("audit"))
      }
      #expect(try await ledger.read { try $0.subscribers(after: nil, limit: 9) } == [record("chat", 2, 6)])
    }
  }

  @Test("are listed by name, a page at a time")
  func list() async throws {
    try await temporary.with { ledger async throws in
      let all: [SubscriberName] = ["a", "b", "c", "d"]
      try ledger.write { transaction in for name in all.reversed() { try transaction.keepPlace(record(name, 1, 1)) } }
      #expect(try await ledger.read { try $0.subscribers(after: nil, limit: 3) }.map(\.name) == ["a", "b", "c"])
      #expect(try await ledger.read { try $0.subscribers(after: "c", limit: 3) }.map(\.name) == ["d"])
    }
  }

  @Test("go when they were not seen for long, and hold back no notification")
  func removed() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(.queued())
        try transaction.end(number)
        try transaction.markSent(upTo: 1)
        try transaction.keepPlace(record("late", 1, 0, seen: 99))
        try transaction.keepPlace(record("audit", 1, 0, seen: 100))
        #expect(try transaction.remove(endedBefore: .test(1_000), limit: 9).removed == 1, "nobody had handled it")
        try transaction.removeSubscribers(seenBefore: .test(100))
        #expect(try transaction.subscribers(after: nil, limit: 9).map(\.name) == ["audit"])
        #expect(try transaction.lastNotification() == NotificationPosition(epoch: 1, seq: 1), "removed ones count")
      }
    }
  }
}
