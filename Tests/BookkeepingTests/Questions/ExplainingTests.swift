import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("An explanation, from the books")
struct ExplainingTests {
  @Test("a plan is explained by its next step, and at its end by its outcome")
  func plan() async throws {
    let books = try await Books()
    let steps = [1, 2].map { PlanStep(name: "s\($0)", kind: "step", rank: $0) }
    let plan = PlanSubmission(id: JobID(), department: "init", steps: steps)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    let first = try #require(try await books.told().assignments.first)
    let queued = try #require(try await books.bookkeeper.explain(plan.id))
    #expect(queued.kind == "plan" && queued.state == .held)
    #expect(queued.reasons.map(\.hold) == [.step, .noTeller])
    #expect(queued.reasons.first?.text == "2 steps have not ended; next is step \"s1\", which is queued")
    #expect(queued.reasons.first?.jobs == [first.job])
    try await books.fail(first)
    let retried = try await books.bookkeeper.explain(plan.id)?.reasons ?? []
    #expect(retried.map(\.hold) == [.step, .retry])
    #expect(retried.last?.endsAt.map { $0 > books.now } == true)
    _ = try await books.cancel(plan.id)
    let ended = try await books.bookkeeper.explain(plan.id)
    #expect(ended?.state == .cancelled)
    #expect(ended?.reasons.map(\.text) == ["it was cancelled by an operator"])
    #expect(try await books.bookkeeper.explain(JobID()) == nil)
  }

  @Test("while a command is carried out, what it has not come to yet says that it is about to be cancelled")
  func operating() async throws {
    let books = try await Books(window: 1)
    let jobs = (0..<3).map { _ in Submission(id: JobID(), kind: "deposit") }
    try await books.accept(jobs)
    let operation = try #require(try await books.bookkeeper.begin(.cancel, JobSelection(department: "work")))
    let late = Submission(id: JobID(), kind: "deposit")
    try await books.accept(late)
    func text(_ id: JobID) async throws -> String? {
      try await books.bookkeeper.explain(id)?.reasons.first { $0.hold == .operation }?.text
    }
    for job in jobs { #expect(try await text(job.id) == "operation \(operation.id) is about to cancel it") }
    #expect(try await text(late.id)?.hasSuffix("and nothing is released meanwhile") == true)
    try await books.doChores()
    #expect(try await text(late.id) == nil)
  }
}
