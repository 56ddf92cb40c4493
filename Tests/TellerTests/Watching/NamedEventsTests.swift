import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client that watches by name", .timeLimit(.minutes(10)))
struct NamedEventsTests {
  /// Reads the next recorded events, so many of them.
  private func numbers(_ count: Int, of events: NamedEvents) async throws -> [Int64] {
    try await limited("\(count) events") {
      var numbers: [Int64] = []
      for try await event in events {
        if let position = event.position { numbers.append(position.sequence) }
        if numbers.count == count { break }
      }
      return numbers
    }
  }

  /// A client, and a coordinator's part that keeps places.
  private func withPlaces(
    _ body: (CoordinatorPart, TellerClient, PlaceBook) async throws -> Void
  ) async throws {
    let coordinator = try await CoordinatorPart.start()
    let book = PlaceBook()
    let keeping = try await coordinator.keepPlaces(in: book)
    let client = try await coordinator.client()
    try await body(coordinator, client, book)
    await client.close()
    keeping.cancel()
    await coordinator.close()
  }

  @Test("an event is handled when the next one is asked for; after a clean end none comes again")
  func handled() async throws {
    try await withPlaces { coordinator, client, book in
      try await coordinator.record(1...9)
      let first = try await client.events(named: "audit", since: .start)
      #expect(try await numbers(3, of: first) == [1, 2, 3])
      try await first.finish(lastIsHandled: false)
      #expect(book.place(of: "audit")?.seq == 2)
      let second = try await client.events(named: "audit", since: .now)
      #expect(try await numbers(3, of: second) == [3, 4, 5], "its place counts, not where it would begin")
      try await second.finish()
      #expect(try await numbers(4, of: try await client.events(named: "audit", since: .start)) == [6, 7, 8, 9])
      #expect(try await numbers(9, of: try await client.events(named: "chat", since: .start)) == Array(1...9))
    }
  }

  @Test("the place is kept in the background while events come, with their place in the stream")
  func background() async throws {
    try await withPlaces { coordinator, client, book in
      try await coordinator.record(1...2)
      let events = try await client.events(named: "audit", since: .start)
      let reading = Task { for try await _ in events {} }
      try await eventually("the second event is kept", within: patience) { book.place(of: "audit")?.seq == 2 }
      let known = book.orders.compactMap(\.place)
      #expect(known.allSatisfy { $0.offset != nil } && known.count <= 2)
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
  }

  @Test("events that the filter passes over count as handled: the place does not fall behind")
  func passedOver() async throws {
    try await withPlaces { coordinator, client, book in
      let events = try await client.events(named: "audit", since: .start, matching: EventFilter(kinds: ["loan"]))
      let reading = Task { for try await _ in events {} }
      try await coordinator.record(1...5)
      try await eventually("the last event is kept", within: patience) { book.place(of: "audit")?.seq == 5 }
      reading.cancel()
      _ = await reading.result
    }
  }

  @Test("who begins now and dies before the first event misses none")
  func fromNow() async throws {
    try await withPlaces { coordinator, client, book in
      try await coordinator.record(1...3)
      book.last = NotificationPosition(epoch: 1, seq: 3)
      _ = try await client.events(named: "audit", since: .now)
      #expect(book.orders.map { $0.place == nil } == [true])
      try await coordinator.record(4...5)
      #expect(try await numbers(2, of: try await client.events(named: "audit", since: .now)) == [4, 5])
    }
  }

  @Test("a coordinator that is too busy for a moment is told the place later")
  func busy() async throws {
    try await withPlaces { coordinator, client, book in
      try await coordinator.record(1...2)
      book.refusal = JobFailure(code: JobFailure.Code.busy, message: "later")
      let events = try await client.events(named: "audit", since: .start)
      let reading = Task { for try await _ in events {} }
      try await eventually("the place was told", within: patience) { !book.orders.isEmpty }
      #expect(book.place(of: "audit") == nil)
      book.refusal = nil
      try await eventually("the place is kept", within: patience) { book.place(of: "audit")?.seq == 2 }
      reading.cancel()
      _ = await reading.result
    }
  }

  @Test("a place that can never be kept ends the events, also while none come")
  func refused() async throws {
    try await withPlaces { coordinator, client, book in
      let failure = JobFailure(code: JobFailure.Code.tooManySubscribers, message: "too many")
      book.refusal = failure
      try await coordinator.record(1...2)
      let events = try await client.events(named: "audit", since: .start)
      await #expect(throws: TellerError.refused(failure)) {
        try await limited("the end of the events") { for try await _ in events {} }
      }
      await #expect(throws: TellerError.refused(failure)) { try await client.events(named: "chat", since: .now) }
    }
  }

  @Test("subscribers come a page at a time, and are forgotten by name")
  func list() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let questions = try await coordinator.answerQuestions()
    let (task, commands) = try await coordinator.obeyOperators()
    var query = SubscriberQuery()
    let first = try await client.subscribers(query)
    #expect(first.subscribers.map(\.position) == [EventPosition(epoch: 1, sequence: 7)])
    query.after = first.next
    #expect(try await client.subscribers(query).subscribers.map(\.name) == ["chat"])
    query.limit = 0
    await #expect(throws: TellerError.self) { try await client.subscribers(query) }
    #expect(try await client.forgetSubscriber("audit").wasKept)
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .forgetSubscriber("audit"))
    task.cancel()
    questions.cancel()
    await client.close()
    await coordinator.close()
  }
}
