import Decisions
import struct Foundation.UUID
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Events that settings may leave out")
struct OptionalNewsTests {
  private func news(_ books: Books) async throws -> [Notification] {
    guard let batch = try await books.bookkeeper.nextNotifications(atMost: 1_000) else { return [] }
    await books.bookkeeper.sent(batch)
    return batch.notifications
  }

  @Test("an attempt that failed is told, with when it is tried again")
  func attempt() async throws {
    let books = try await Books()
    let key = SubmissionKey(text: "k")
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan", key: key))
    let before = await books.bookkeeper.now
    try await books.fail(assignment)
    let told = try #require(try await news(books).first)
    #expect(told.event == "attempt_failed" && told.job == assignment.job && told.kind == "loan" && told.key == "k")
    #expect(told.attempt == 1 && told.error?.code == "broken" && told.runMs == 10 && told.department == "work")
    #expect(try #require(told.retryAt) >= before + .seconds(600))
  }

  @Test("what the settings of a department leave out is not recorded; its outcomes are")
  func leftOut() async throws {
    let books = try await Books()
    try await books.takeOver { $0.departments["work"]?.notify = [.paused] }
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.fail(assignment)
    try await books.fail(try #require(try await books.told().assignments.last))
    _ = try await books.bookkeeper.setPaused("work", true)
    _ = try await books.bookkeeper.setPaused("work", true)
    _ = try await books.bookkeeper.setPaused("work", false)
    _ = try await books.bookkeeper.setPaused("capped", true)
    _ = try await books.bookkeeper.setPaused("capped", false)
    let told = try await news(books).map { "\($0.event) \($0.department?.name ?? "")" }
    #expect(told == ["failed work", "paused work", "paused capped", "resumed capped"])
  }

  @Test("a submission that is parked is told, and one that is answered is not")
  func parked() async throws {
    let books = try await Books()
    let nowhere = { (reply: ReplyAddress?) in
      Incoming(.job(Submission(id: JobID(), kind: "nowhere", key: SubmissionKey(text: "k"), reply: reply)))
    }
    let unread = Incoming(
      .rejected(Rejection(JobFailure(code: "bad_id", message: "it is no id"), reply: nil, messageID: "x/1")))
    #expect(try await books.bookkeeper.accept([nowhere(.test), nowhere(nil), unread]).map(\.index) == [1, 2])
    let told = try await news(books)
    #expect(told.map(\.event) == ["parked", "parked"])
    #expect(told.map(\.kind) == ["nowhere", nil] && told.map(\.name) == [nil, "x/1"] && told[0].job != nil)
    #expect(told.map(\.error?.code) == ["unknown_department", "bad_id"])
    #expect(try await books.ledger.read { try $0.allNotifications(from: 1, limit: 9) }.count == 2)
  }

  @Test("a coordinator that starts anew tells what the last one had recorded and not told")
  func restarted() async throws {
    let books = try await Books()
    try await books.fail(try await books.release(Submission(id: JobID(), kind: "loan")))
    _ = try await books.bookkeeper.setPaused("capped", true)
    let recorded = try await news(try await books.succeeded())
    #expect(recorded.map(\.event) == ["attempt_failed", "paused"] && recorded[0].retryAt != nil)
    #expect(recorded[1].job == nil && recorded[1].department == "capped")
  }
}

@Suite("Keys that are freed are told")
struct FreedKeyTests {
  private func books() async throws -> Books {
    let books = try await Books()
    try await books.takeOver { $0.notify = [.keyFreed] }
    return books
  }

  private func keyed(_ window: KeyWindow) -> Submission {
    Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "a", window: window))
  }

  private func freed(_ books: Books) async throws -> [String] {
    guard let batch = try await books.bookkeeper.nextNotifications(atMost: 1_000) else { return [] }
    await books.bookkeeper.sent(batch)
    return batch.notifications.filter { $0.event == "key_freed" }.map { notification in
      "\(notification.kind?.name ?? "-") \(notification.key ?? "-") \(notification.job == nil ? "-" : "of a job")"
    }
  }

  private let ofJob = ["deposit a of a job"]

  @Test("a key that is taken while its job lives is freed with the end; one whose window goes on is not")
  func end() async throws {
    let books = try await books()
    try await books.succeed(try await books.release(keyed(.whileLive)))
    #expect(try await freed(books) == ofJob)
    try await books.succeed(try await books.release(keyed(.seconds(60))))
    #expect(try await freed(books).isEmpty)
  }

  @Test("a command frees a key once, also when it comes again")
  func command() async throws {
    let (books, command) = (try await books(), UUID())
    try await books.succeed(try await books.release(keyed(.seconds(60))))
    _ = try await books.bookkeeper.freeKey("deposit", "a", command: command)
    #expect(try await freed(books) == ofJob)
    _ = try await books.release(keyed(.seconds(60)))
    _ = try await books.bookkeeper.freeKey("deposit", "a", command: command)
    #expect(try await freed(books).isEmpty)
  }

  @Test("a window that passes frees the key once, behind the end of its job")
  func window() async throws {
    let books = try await books()
    for (window, count) in [(KeyWindow.lasting(.zero), 1), (.lasting(.milliseconds(1)), 1)] {
      let assignment = try await books.release(keyed(window))
      try await books.succeed(assignment)
      let atEnd = try await freed(books)
      books.clock.pass(.milliseconds(2))
      await books.bookkeeper.beginRetention()
      try await books.doChores()
      #expect((atEnd + (try await freed(books))).count == count)
    }
  }

  @Test("a reset frees the key, or says that all of the kind are free")
  func reset() async throws {
    let books = try await books()
    _ = try await books.release(keyed(.seconds(60)))
    _ = try await books.bookkeeper.resetKeys("deposit", "a")
    #expect(try await freed(books) == ofJob)
    _ = try await books.bookkeeper.resetKeys("deposit", "a")
    #expect(try await freed(books).isEmpty, "nobody had it")
    _ = try await books.bookkeeper.resetKeys("deposit", nil)
    #expect(try await freed(books) == ["deposit - -"])
  }
}
