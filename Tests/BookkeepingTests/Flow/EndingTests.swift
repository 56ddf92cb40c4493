import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Jobs that end without having run")
struct EndingTests {
  private let reply = ReplyAddress(replyTo: "teller.reply.test", correlationID: "c", wait: .outcome)

  @Test("one that waits for a job that has failed already is never released", arguments: DependencyRule.allCases)
  func inVain(rule: DependencyRule) async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let failing = Submission(id: JobID(), kind: "deposit")
    try await books.accept(failing)
    let assignment = try #require(try await books.told().assignments.first)
    let failure = JobFailure(code: "broken", message: "it broke")
    _ = try await books.bookkeeper.record([books.report(assignment, .failed(failure, isPermanent: true))])
    let late = Submission(
      id: JobID(), kind: "deposit", after: Dependencies(jobs: [failing.id], rule: rule), reply: reply)
    let next = Submission(id: JobID(), kind: "deposit")
    try await books.accept(late, next)
    let told = try await books.told()
    #expect(told.assignments.map(\.job) == [next.id])
    #expect(told.replies.first == .accepted)
    #expect(try await books.job(late.id)?.progress.state == (rule == .fail ? .failed : .cancelled))
    let work = try #require(await books.bookkeeper.books["work"])
    #expect(work.heldCount == 0)
    #expect(work.releasedCount == 1)
  }

  @Test("a plan ends as cancelled with its department, and with a step of it; each of its jobs is counted")
  func plans() async throws {
    for kind in [nil, "first"] as [JobKind?] {
      let folder = try TemporaryFolder()
      let books = try await Books(in: folder)
      let steps = [PlanStep(name: "a", kind: "first", rank: 1), PlanStep(name: "b", kind: "second", rank: 2)]
      let plan = PlanSubmission(id: JobID(), department: "init", steps: steps, reply: reply)
      _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
      let operation = try #require(
        try await books.bookkeeper.begin(.cancel, JobSelection(department: "init", kind: kind)))
      try await books.bookkeeper.continueOperation()
      #expect(try await books.bookkeeper.operationDocument(operation.id)?.changed == (kind == nil ? 2 : 1))
      guard case .outcome(.cancelled)? = try await books.told().replies.last else {
        Issue.record("the plan was not cancelled")
        return
      }
      for step in steps {
        #expect(try await books.job(JobID(plan: plan.id, step: step.name))?.progress.state == .cancelled)
      }
    }
  }
}
