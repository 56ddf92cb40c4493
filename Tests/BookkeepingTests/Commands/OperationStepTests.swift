import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Commands about many jobs")
struct OperationStepTests {
  private static let count = 1_000

  /// Held jobs of a department that is going on.
  private func hold(_ books: Books) async throws -> [JobID] {
    _ = try await books.bookkeeper.setPaused("work", true)
    let jobs = (0..<OperationStepTests.count).map { _ in Submission(id: JobID(), kind: "deposit") }
    try await books.accept(jobs)
    #expect(await books.bookkeeper.memory.desks["work"]?.ready.reduce(0, +) == OperationStepTests.count)
    return jobs.map(\.id)
  }

  @Test("all that is held is cancelled in steps; nothing of it is released meanwhile, and what comes later stays")
  func cancelsInSteps() async throws {
    let books = try await Books()
    _ = try await hold(books)
    let operation = try #require(try await books.bookkeeper.begin(.cancel, JobSelection(department: "work")))
    #expect(operation.total == OperationStepTests.count)
    _ = try await books.bookkeeper.setPaused("work", false)
    let late = Submission(id: JobID(), kind: "deposit")
    try await books.accept(late)
    #expect(try await books.bookkeeper.doChores())
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await books.doChores() >= 3)
    #expect(try await books.told().assignments.map(\.job) == [late.id])
    let ended = try #require(try await books.bookkeeper.operationDocument(operation.id))
    #expect(ended.changed == OperationStepTests.count)
    #expect(ended.finishedAt != nil)
    #expect(await books.bookkeeper.memory.desks["work"]?.finished == [.cancelled: OperationStepTests.count])
  }

  @Test("a command that comes again is the same operation, also for the next coordinator and when it has ended")
  func comesAgain() async throws {
    let books = try await Books()
    _ = try await hold(books)
    let (command, selection) = (UUID(), JobSelection(department: "work"))
    let first = try #require(try await books.bookkeeper.begin(.cancel, selection, command: command))
    #expect(try await books.bookkeeper.begin(.cancel, selection, command: command) == first)
    #expect(await books.bookkeeper.operations.map(\.id) == [first.id])
    let later = try await books.succeeded()
    #expect(try await later.bookkeeper.begin(.cancel, selection, command: command) == first)
    try await later.doChores()
    let late = Submission(id: JobID(), kind: "deposit")
    try await later.accept(late)
    let again = try #require(try await later.bookkeeper.begin(.cancel, selection, command: command))
    #expect((again.id, again.changed) == (first.id, OperationStepTests.count))
    #expect(await later.bookkeeper.operations.isEmpty)
    #expect(try await later.state(late.id) != .cancelled)
    let other = try #require(try await later.bookkeeper.begin(.cancel, selection, command: UUID()))
    #expect(other.id != first.id)
  }

  @Test("a coordinator that takes over goes on with it")
  func goesOn() async throws {
    let books = try await Books()
    let jobs = try await hold(books)
    let operation = try #require(try await books.bookkeeper.begin(.cancel, JobSelection(department: "work")))
    #expect(try await books.bookkeeper.doChores())
    _ = try await books.bookkeeper.setPaused("work", false)
    let later = try await books.succeeded()
    #expect(try await later.told().assignments.isEmpty)
    try await later.doChores()
    #expect(try await later.told().assignments.isEmpty)
    #expect(try await later.bookkeeper.operationDocument(operation.id)?.changed == OperationStepTests.count)
    for id in [jobs.first, jobs.last] { #expect(try await later.state(try #require(id)) == .cancelled) }
  }

  @Test("only jobs of the named kind are cancelled")
  func byKind() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let (deposit, loan) = (Submission(id: JobID(), kind: "deposit"), Submission(id: JobID(), kind: "loan"))
    try await books.accept(deposit, loan)
    _ = try await books.bookkeeper.begin(.cancel, JobSelection(kind: "loan"))
    try await books.doChores()
    #expect(try await books.state(loan.id) == .cancelled)
    #expect(try await books.state(deposit.id) == .held)
  }

  @Test("a reset cancels what is held, what is released and what plans have, and then the departments go on")
  func resets() async throws {
    let books = try await Books()
    let released = try await books.fillWork(2)
    let plan = PlanSubmission(
      id: JobID(), department: "init", steps: [1, 2].map { PlanStep(name: "s\($0)", kind: "step", rank: $0) },
      reply: .other)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    _ = try await books.bookkeeper.begin(.reset, JobSelection())
    try await books.doChores()
    for id in released.map(\.job) + [JobID(plan: plan.id, step: "s2")] {
      #expect(try await books.state(id) == .cancelled)
    }
    let outcomes = try await books.told().replies(to: .other)
    #expect(outcomes.count == 2)
    #expect(try await books.ledger.read { try $0.plan(plan.id) }?.outcome != nil)
    let next = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(next.attempt == 1)
  }
}
