import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("Subscribers in the books")
struct SubscriberBooksTests {
  /// Books that have told two outcomes.
  private func books(retention: RetentionSettings = .init()) async throws -> Books {
    let books = try await Books(retention: retention)
    for assignment in try await books.fillWork(2) { try await books.succeed(assignment) }
    return books
  }

  private func order(_ epoch: Int, _ seq: Int64, offset: Int64? = nil) -> PlaceOrder {
    PlaceOrder("audit", at: NotificationPosition(epoch: epoch, seq: seq), offset: offset)
  }

  private func keep(_ order: PlaceOrder, _ books: Books) async throws -> SubscriberStatus {
    try await books.bookkeeper.keepPlace(order).get()
  }

  @Test("a place goes on, and never back; who asks is told the place that is kept")
  func never() async throws {
    let books = try await books()
    #expect(try await books.bookkeeper.subscriber("audit") == nil)
    let first = try await keep(order(1, 1, offset: 8), books)
    #expect(first.sequence == 1 && first.offset == 8 && first.behind == 1)
    #expect(try await keep(order(1, 2), books).behind == 0)
    let back = try await keep(order(1, 1, offset: 8), books)
    #expect(back.sequence == 2 && back.offset == nil, "another watch of that name was further")
    #expect(try await keep(order(1, 2, offset: 9), books).offset == 9)
    #expect(try await keep(order(1, 2), books).offset == 9, "who does not know where, does not take it away")
    let status = try #require(try await books.bookkeeper.subscriber("audit"))
    #expect(status.sequence == 2 && status.offset == 9)
  }

  @Test("a place of a higher epoch always counts, and one of an earlier epoch does not")
  func epochs() async throws {
    let books = try await books()
    _ = try await keep(order(1, 2), books)
    try books.ledger.write { _ = try $0.statements.run("UPDATE ledger SET epoch = 2") }
    let old = try #require(try await books.bookkeeper.subscriber("audit"))
    #expect(old.epoch == 1 && old.behind == nil, "nobody knows how many were lost")
    #expect(try await keep(order(2, 1), books).sequence == 1)
    let kept = try await keep(order(1, 900), books)
    #expect(kept.epoch == 2 && kept.sequence == 1)
  }

  @Test("a place behind the last event is refused: it would leave events out", arguments: [(1, Int64(3)), (2, 0)])
  func ahead(epoch: Int, seq: Int64) async throws {
    let books = try await books()
    let failure = await #expect(throws: JobFailure.self) { try await keep(order(epoch, seq), books) }
    #expect(failure?.code == "bad_request" && failure?.message.contains("the last one is 1/2") == true)
    #expect(try await books.bookkeeper.subscriber("audit") == nil)
  }

  @Test("who names no place has that of the last event, and keeps the one that it has")
  func registered() async throws {
    let books = try await books()
    #expect(try await keep(PlaceOrder("now"), books).sequence == 2)
    _ = try await keep(order(1, 1), books)
    #expect(try await keep(PlaceOrder("audit"), books).sequence == 1)
  }

  @Test("no more places are kept than may be, and one that is known goes on")
  func full() async throws {
    let books = try await books()
    try books.ledger.write { transaction in
      for number in 1..<SubscriberStatus.most {
        let name = try #require(SubscriberName("s\(number)"))
        let position = NotificationPosition(epoch: 1, seq: 0)
        try transaction.keepPlace(
          SubscriberRecord(name: name, position: position, offset: nil, seenAt: Timestamp(milliseconds: 0)))
      }
    }
    _ = try await keep(order(1, 1), books)
    let failure = await #expect(throws: JobFailure.self) { try await keep(PlaceOrder("chat"), books) }
    #expect(failure?.code == "too_many_subscribers")
    #expect(failure?.message.contains("teller subscribers forget NAME") == true)
    #expect(try await keep(order(1, 2), books).sequence == 2)
    #expect(try await books.bookkeeper.forgetSubscriber("s1").wasKept)
    #expect(try await !books.bookkeeper.forgetSubscriber("s1").wasKept)
    #expect(try await keep(PlaceOrder("chat"), books).sequence == 2)
    let page = try await books.bookkeeper.listSubscribers(SubscriberQuery(limit: 2, after: "audit"))
    #expect(page.subscribers.map(\.name) == ["chat", "s10"] && page.next == "s10")
  }

  @Test("retention drops who was not seen for long, and no one else")
  func retained() async throws {
    let books = try await books(retention: .init(subscribers: .seconds(100)))
    _ = try await keep(order(1, 1), books)
    let now = await books.bookkeeper.now
    try books.ledger.write { transaction in
      for (name, age) in [("old", 101), ("young", 50)] as [(SubscriberName, Int64)] {
        let position = NotificationPosition(epoch: 1, seq: 1)
        try transaction.keepPlace(
          SubscriberRecord(name: name, position: position, offset: nil, seenAt: now - .seconds(age)))
      }
    }
    try await books.retain()
    let left = try await books.bookkeeper.listSubscribers(SubscriberQuery()).subscribers
    #expect(left.map(\.name) == ["audit", "young"])
  }
}
