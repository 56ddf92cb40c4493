import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Trying again")
struct RetryTests {
  @Test("a job whose attempt failed waits for its back-off, and others have its place meanwhile")
  func backOff() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    let earliest = await books.bookkeeper.now
    try await books.fail(assignment)
    let memory = await books.bookkeeper.memory
    #expect(memory.desks["work"]?.inUse == 0)
    #expect(memory.desks["work"]?.retrying == 1)
    #expect(try await books.told().assignments.isEmpty)
    try await books.bookkeeper.lookAtClock(earliest + .milliseconds(599_999))
    #expect(try await books.told().assignments.isEmpty)
    try await books.lookAtClock(after: .seconds(601))
    let again = try #require(try await books.told().assignments.first)
    #expect(again.attempt == 2)
    #expect(again.release != assignment.release)
  }

  @Test("a job waits longer after each attempt that failed, and never longer than the longest back-off")
  func grows() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "transfer"))
    for (attempt, backOff) in [(2, 1_000), (3, 3_000), (4, 5_000)] {
      try await books.fail(assignment)
      try await books.lookAtClock(after: .seconds(backOff - 500))
      #expect(try await books.told().assignments.isEmpty, "attempt \(attempt) comes too early")
      try await books.lookAtClock(after: .seconds(backOff + 1))
      assignment = try #require(try await books.told().assignments.first, "attempt \(attempt) does not come in time")
      #expect(assignment.attempt == attempt)
    }
  }

  @Test(
    "a job keeps its priority through an attempt that failed, a restart of the coordinator, and a release that is lost")
  func priority() async throws {
    let books = try await Books()
    let first = try await books.release(Submission(id: JobID(), kind: "loan", priority: 8))
    #expect(first.priority == 8)
    try await books.fail(first)
    let later = try await books.succeeded()
    try await later.lookAtClock(after: .seconds(601))
    let second = try #require(try await later.told().assignments.first)
    #expect(second.job == first.job)
    #expect(second.attempt == 2)
    #expect(second.priority == 8)
    later.bookkeeper.confirmed([second.release])
    try await later.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    let third = try #require(try await later.returnFences(in: try await later.told()).assignments.first)
    #expect(third.attempt == 2)
    #expect(third.priority == 8)
  }

  @Test("a restarted coordinator knows when to try again")
  func restarted() async throws {
    let books = try await Books()
    try await books.fail(try await books.release(Submission(id: JobID(), kind: "loan")))
    let later = try await books.succeeded()
    #expect(try await later.told().assignments.isEmpty)
    try await later.lookAtClock(after: .seconds(601))
    #expect(try await later.told().assignments.map(\.attempt) == [2])
  }

  @Test("a job that waits for its back-off can be cancelled")
  func cancelled() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.fail(assignment)
    #expect(try await books.cancel(assignment.job).changed == [assignment.job])
    #expect(await books.bookkeeper.memory.desks["work"]?.retrying == 0)
    try await books.lookAtClock(after: .seconds(601))
    #expect(try await books.told().assignments.isEmpty)
  }

  @Test("an ordered department releases nothing behind a job that is to be tried again")
  func ordered() async throws {
    let books = try await Books()
    let first = try await books.release(Submission(id: JobID(), kind: "step"))
    let second = Submission(id: JobID(), kind: "step")
    try await books.accept(second)
    try await books.fail(first)
    #expect(try await books.told().assignments.isEmpty)
    try await books.lookAtClock(after: .seconds(601))
    let again = try await books.told().assignments
    #expect(again.map(\.job) == [first.job])
    try await books.succeed(again[0])
    #expect(try await books.told().assignments.map(\.job) == [second.id])
  }

  @Test("a job that was released before its department became an ordered one is tried again there")
  func becameOrdered() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    let later = try await books.succeeded { $0.departments["work"] = .init(isOrdered: true) }
    try await later.fail(assignment)
    _ = try await later.told()
    try await later.lookAtClock(after: .seconds(601))
    #expect(try await later.told().assignments.map(\.job) == [assignment.job])
  }
}
