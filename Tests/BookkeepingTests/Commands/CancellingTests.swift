import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Cancelling")
struct CancellingTests {
  /// Two that run and one that is held, in a department of which two may run.
  private func crowd(_ books: Books) async throws -> (released: [Assignment], held: JobID) {
    let jobs = (0..<3).map { _ in Submission(id: JobID(), kind: "vault", reply: .test) }
    try await books.accept(jobs)
    let released = try await books.told().assignments
    #expect(released.count == 2)
    return (released, jobs[2].id)
  }

  @Test("a held job ends at once, and nothing is void")
  func held() async throws {
    let books = try await Books()
    let crowd = try await crowd(books)
    let document = try await books.cancel(crowd.held)
    #expect(document.changed == [crowd.held])
    let told = try await books.told()
    #expect(told.replies == [.outcome(.cancelled(.cancelled(by: "an operator")))])
    #expect(told.voidChanges.isEmpty)
    #expect(try await books.state(crowd.held) == .cancelled)
    #expect(await books.bookkeeper.memory.desks["capped"]?.ready.reduce(0, +) == 0)
  }

  @Test("a queued job ends at once, and its place is free when its release was dropped")
  func queued() async throws {
    let books = try await Books()
    let (released, held) = try await crowd(books)
    _ = try await books.cancel(released[0].job)
    let told = try await books.told()
    #expect(told.voidChanges == [VoidChange(void: [released[0].release], ended: [released[0].release])])
    #expect(told.assignments.isEmpty)
    try await books.drop(released[0].release)
    let later = try await books.told()
    #expect(later.forgotten == [released[0].release])
    #expect(later.assignments.map(\.job) == [held])
  }

  @Test("a job that runs keeps its place until its worker reports, which changes nothing")
  func running() async throws {
    let books = try await Books()
    let (released, held) = try await crowd(books)
    _ = try await books.cancel(released[0].job)
    #expect(try await books.told().assignments.isEmpty)
    try await books.succeed(released[0])
    let told = try await books.told()
    #expect(told.assignments.map(\.job) == [held])
    #expect(told.forgotten == [released[0].release])
    #expect(try await books.state(released[0].job) == .cancelled)
  }

  @Test("who claims a void release is told to drop it when nobody else can have it, and then the place is free")
  func claimed() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker, tellers: ["capped": 2])
    let (released, held) = try await crowd(books)
    _ = try await books.cancel(released[0].job)
    try await books.claim(released[0].release, by: worker)
    let probe = try #require(try await books.told().probes.last)
    #expect(await books.bookkeeper.voidPlaces.count == 1)
    try await books.present(worker, tellers: ["capped": 2], probe: probe)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.verdicts == [.drop])
    #expect(told.forgotten == [released[0].release])
    #expect(told.assignments.map(\.job) == [held])
  }

  @Test("a void release whose queue is empty is claimed by the coordinator, and then the place is free")
  func ownClaim() async throws {
    let books = try await Books()
    let (released, held) = try await crowd(books)
    books.bookkeeper.confirmed([released[0].release])
    _ = try await books.cancel(released[0].job)
    _ = try await books.told()
    try await books.bookkeeper.lookForLost(in: [JobQueue("capped")], olderThan: .seconds(-60))
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.forgotten == [released[0].release])
    #expect(told.assignments.map(\.job) == [held])
  }

  @Test("a coordinator that takes over knows what is void, says so, and frees the place in the same way")
  func restarted() async throws {
    let books = try await Books()
    let (released, held) = try await crowd(books)
    _ = try await books.cancel(released[0].job)
    let later = try await books.succeeded()
    let told = try await later.told()
    #expect(told.void == [released[0].release])
    #expect(told.assignments.isEmpty)
    try await later.present(WorkerID(), tellers: ["capped": 2])
    #expect(try await later.told().welcomes.map(\.ended) == [[released[0].release]])
    try await later.drop(released[0].release)
    #expect(try await later.told().assignments.map(\.job) == [held])
    #expect(try books.ledger.write { try $0.voids() }.isEmpty)
  }

  @Test("what is unknown and what has ended stays as it is")
  func unchanged() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    let unknown = JobID()
    let document = try await books.cancel(assignment.job, unknown)
    #expect(document.changed.isEmpty)
    #expect(document.unchanged.map(\.reason) == [.ended, .unknown])
  }

  @Test("a plan is cancelled as a whole, and its department stays closed until its running step has ended")
  func plan() async throws {
    let books = try await Books()
    let plan = PlanSubmission(
      id: JobID(), department: "init", steps: [1, 2].map { PlanStep(name: "s\($0)", kind: "step", rank: $0) })
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    let first = try #require(try await books.told().assignments.first)
    let next = Submission(id: JobID(), kind: "step")
    try await books.accept(next)
    #expect(try await books.cancel(plan.id).changed == [plan.id])
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await books.state(JobID(plan: plan.id, step: "s2")) == .cancelled)
    try await books.fail(first)
    #expect(try await books.told().assignments.map(\.job) == [next.id])
  }
}
