import Decisions
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
