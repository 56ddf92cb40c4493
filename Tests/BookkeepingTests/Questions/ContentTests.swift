import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("What a job carries, from the books")
struct ContentTests {
  private let content = JobContent(
    payload: Array(repeating: 0xFF, count: 10_000), contentType: "a/b",
    trace: TraceContext(traceparent: "00-a-b-01", tracestate: "x=y"), headers: ["tenant": "north"])

  @Test("is told while its job waits and after it has ended, until the job is removed")
  func job() async throws {
    let books = try await Books(retention: .everything)
    var submission = Submission(id: JobID(), kind: "deposit")
    submission.content = content
    let assignment = try await books.release(submission)
    #expect(try await books.bookkeeper.showContent(of: submission.id).get() == content)
    try await books.succeed(assignment)
    #expect(try await books.bookkeeper.showContent(of: submission.id).get() == content)
    await books.bookkeeper.beginRetention()
    try await books.doChores()
    try await books.retain()
    #expect(try await books.bookkeeper.showContent(of: submission.id) == .failure(.jobNotFound(submission.id)))
  }

  @Test("is told of a plan's step, and of no plan")
  func plan() async throws {
    let books = try await Books()
    let step = PlanStep(name: "s", kind: "step", rank: 1, payload: Array(#"{"n": 7}"#.utf8))
    let plan = PlanSubmission(id: JobID(), department: "init", steps: [step])
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    let job = JobID(plan: plan.id, step: "s")
    #expect(try await books.bookkeeper.showContent(of: job).get().payload == step.payload)
    guard case .failure(let failure) = try await books.bookkeeper.showContent(of: plan.id) else {
      Issue.record("a plan has a payload")
      return
    }
    #expect(failure.code == "no_payload")
  }
}
