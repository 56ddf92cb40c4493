import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Failed jobs")
struct ReplayingTests {
  private func failed(_ books: Books, _ kind: JobKind = "deposit") async throws -> JobID {
    let assignment = try await books.release(
      Submission(id: JobID(), kind: kind, priority: 7, payload: [1, 2, 3], timeout: .seconds(9)))
    try await books.fail(assignment, isPermanent: true)
    return assignment.job
  }

  @Test("a replay is a new job with the same content, from its first attempt")
  func replays() async throws {
    let books = try await Books()
    let id = try await failed(books)
    let document = try await books.bookkeeper.replay([id])
    #expect(document == JobChanges(changed: [id], replays: [JobID(replayOf: id)]))
    let again = try #require(try await books.told().assignments.last)
    #expect(again.job == JobID(replayOf: id))
    #expect(again.content.payload == [1, 2, 3])
    #expect(again.priority == 7)
    #expect(again.timeout == .seconds(9))
    #expect(again.attempt == 1)
    #expect(try await books.job(id)?.settlement == .replayed(again.job))
    #expect(try await books.job(again.job)?.againOf == id)
  }

  @Test("it is replayed once, also after a restart")
  func once() async throws {
    let books = try await Books()
    let id = try await failed(books)
    _ = try await books.bookkeeper.replay([id])
    let later = try await books.succeeded()
    _ = try await later.told()
    let document = try await later.bookkeeper.replay([id])
    #expect(document.changed.isEmpty)
    #expect(document.unchanged == [.init(job: id, reason: .replayed, replay: JobID(replayOf: id))])
    #expect(try await later.told().assignments.isEmpty)
  }

  @Test("a replay that fails can be replayed in its turn")
  func again() async throws {
    let books = try await Books()
    let id = try await failed(books)
    _ = try await books.bookkeeper.replay([id])
    let replay = try #require(try await books.told().assignments.last)
    try await books.fail(replay, isPermanent: true)
    #expect(try await books.bookkeeper.replay([replay.job]).changed == [replay.job])
  }

  @Test("a job that was dropped is neither replayed nor dropped again")
  func drops() async throws {
    let books = try await Books()
    let id = try await failed(books)
    #expect(try await books.bookkeeper.drop([id]).changed == [id])
    #expect(try await books.bookkeeper.drop([id]).unchanged.map(\.reason) == [.dropped])
    #expect(try await books.bookkeeper.replay([id]).unchanged.map(\.reason) == [.dropped])
  }

  @Test("what has not failed, and what nobody knows, stays as it is")
  func notFailed() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    for document in [
      try await books.bookkeeper.replay([assignment.job, JobID()]),
      try await books.bookkeeper.drop([assignment.job, JobID()]),
    ] {
      #expect(document.unchanged.map(\.reason) == [.notFailed, .unknown])
    }
  }

  @Test("all failed jobs of a kind are replayed, those of others are not")
  func byKind() async throws {
    let books = try await Books()
    let (first, second) = (try await failed(books), try await failed(books))
    let loan = try await failed(books, "loan")
    let dropped = try await failed(books)
    _ = try await books.bookkeeper.drop([dropped])
    let operation = try #require(try await books.bookkeeper.begin(.replay, JobSelection(kind: "deposit")))
    #expect(operation.total == 2)
    try await books.doChores()
    #expect(
      Set(try await books.told().assignments.suffix(2).map(\.job)) == [
        JobID(replayOf: first), JobID(replayOf: second),
      ])
    #expect(try await books.job(loan)?.settlement == nil)
    #expect(try await books.job(JobID(replayOf: dropped)) == nil)
    #expect(try await books.bookkeeper.operationDocument(operation.id)?.changed == 2)
  }
}
