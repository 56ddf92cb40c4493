import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Moving a waiting job")
struct RerankingTests {
  private let urgent: Priority = 9

  @Test("a held job is moved at once, and goes first")
  func held() async throws {
    let books = try await Books()
    let jobs = (0..<4).map { _ in Submission(id: JobID(), kind: "vault") }
    try await books.accept(jobs)
    let released = try await books.told().assignments
    let answer = try await books.rerank(jobs[3].id, urgent)
    #expect(try answer?.get() == JobPlace(job: jobs[3].id, state: .held, priority: urgent, rank: nil))
    try await books.succeed(released[0])
    #expect(try await books.told().assignments.map(\.job) == [jobs[3].id])
  }

  @Test("a held job of an ordered department is moved by its rank")
  func heldInOrder() async throws {
    let books = try await Books()
    let plan = PlanSubmission(
      id: JobID(), department: "init",
      steps: [1, 2, 3].map { PlanStep(name: "s\($0)", kind: "step", rank: $0 * 10) })
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    let first = try #require(try await books.told().assignments.first)
    let last = JobID(plan: plan.id, step: "s3")
    let answer = try await books.bookkeeper.rerank(RerankOrder(job: last, rank: 15), .test)
    #expect(try answer?.get().rank == 15)
    try await books.succeed(first)
    #expect(try await books.told().assignments.map(\.job) == [last])
  }

  @Test("a released job of an ordered department that is moved waits for the turn of its new rank")
  func releasedInOrder() async throws {
    let books = try await Books()
    let plan = PlanSubmission(
      id: JobID(), department: "init",
      steps: [("a", 1), ("b", 1), ("c", 2)].map { PlanStep(name: $0.0, kind: "step", rank: $0.1) })
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    let beside = try await books.told().assignments
    #expect(beside.compactMap(\.step?.name) == ["a", "b"])
    _ = try await books.bookkeeper.rerank(RerankOrder(job: beside[1].job, rank: 3), .test)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.reranked.map(\.rank) == [3] && told.assignments.isEmpty)
    #expect(try await books.state(beside[1].job) == .held)
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
    try await books.succeed(beside[0])
    #expect(try await books.told().assignments.isEmpty, "the old message has not been dropped yet")
    try await books.drop(beside[1].release)
    let next = try #require(try await books.told().assignments.first)
    #expect(next.step?.name == "c")
    try await books.succeed(next)
    #expect(try await books.told().assignments.compactMap(\.step?.name) == ["b"])
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("a plan that waits to go back, until the step beside has ended, goes back when that step is moved behind")
  func goesBack() async throws {
    let reentry = Reentry(on: "expired", from: "user", atMost: 1)
    let plan = try await PlanBooks(
      [PlanStep("user", 1), PlanStep("login", 2, reentry: reentry), PlanStep("news", 2), PlanStep("last", 4)])
    try await plan.start()
    let books = plan.books
    try await books.succeed(try #require(try await books.told().assignments.first))
    let beside = try await books.told().assignments
    #expect(beside.compactMap(\.step?.name) == ["login", "news"])
    let expired = JobFailure(code: "expired", message: "the session has expired")
    try await books.record(books.report(beside[0], .failed(expired, isPermanent: false)))
    _ = try await books.bookkeeper.rerank(RerankOrder(job: beside[1].job, rank: 3), .test)
    _ = try await books.returnFences(in: try await books.told())
    #expect(try await plan.news().last == "went_back login")
    try await books.drop(beside[1].release)
    #expect(try await plan.run() == ["user", "login", "news", "last"])
    #expect(try await plan.phase == .open)
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test(
    "a queued job is released anew when no worker can have it, and its old message keeps a place until it is dropped")
  func queued() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await books.rerank(assignment.job, urgent) == nil)
    let asked = try await books.told()
    #expect(asked.voidChanges == [VoidChange(void: [assignment.release])])
    let told = try await books.returnFences(in: asked)
    let again = try #require(told.assignments.first)
    #expect(again.priority == urgent)
    #expect(again.attempt == 1)
    #expect(again.release != assignment.release)
    #expect(told.reranked.map(\.priority) == [urgent])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 2)
    try await books.drop(assignment.release)
    #expect(try await books.told().forgotten == [assignment.release])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 1)
    try await books.succeed(again)
    #expect(try await books.state(assignment.job) == .succeeded)
  }

  @Test(
    "who asked hears of it when the session ends before it is certain that nobody has the job",
    arguments: [true, false])
  func sessionEnds(isReloaded: Bool) async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await books.rerank(assignment.job, urgent) == nil)
    _ = try await books.told()
    if isReloaded { try await books.restart() } else { try await books.beginSession() }
    let told = try await books.told()
    #expect(told.failures.map(\.code) == ["not_waiting"])
    #expect(told.failures.first?.message.hasSuffix("; ask again") == true)
    try await books.beginSession()
    #expect(try await books.told().failures.isEmpty, "once")
    #expect(try await books.rerank(assignment.job, urgent) == nil)
    let again = try await books.returnFences(in: try await books.told())
    #expect(again.reranked.map(\.priority) == [urgent])
  }

  @Test("a job that runs keeps its place")
  func running() async throws {
    let books = try await Books()
    let worker = WorkerID()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.present(worker, running: [RunningRelease(release: assignment.release, token: assignment.token)])
    let answer = try await books.rerank(assignment.job, urgent)
    #expect(answer == .failure(.cannotRerank(assignment.job, "it is running")))
  }

  @Test("a job that a worker turns out to run keeps its place, and who asked is told")
  func foundRunning() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await books.rerank(assignment.job, urgent) == nil)
    let probe = try #require(try await books.told().probes.last)
    let running = RunningRelease(release: assignment.release, token: assignment.token)
    try await books.present(worker, probe: probe, running: [running])
    let told = try await books.told()
    #expect(told.failures == [.cannotRerank(assignment.job, "it is running")])
    #expect(told.forgotten == [assignment.release])
    try await books.succeed(assignment)
    #expect(try await books.state(assignment.job) == .succeeded)
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
  }

  @Test("a job that is cancelled while it is being moved ends, and who asked is told")
  func cancelledMeanwhile() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    _ = try await books.rerank(assignment.job, urgent)
    let asked = try await books.told()
    _ = try await books.cancel(assignment.job)
    let told = try await books.returnFences(in: asked)
    #expect(told.failures == [.cannotRerank(assignment.job, "it has ended")])
    #expect(told.assignments.isEmpty)
    try await books.drop(assignment.release)
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
  }

  @Test("a job that is being moved is not moved again meanwhile")
  func twice() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    _ = try await books.rerank(assignment.job, urgent)
    guard case .failure(let failure)? = try await books.rerank(assignment.job, 5) else {
      Issue.record("it is moved twice")
      return
    }
    #expect(failure.code == "not_waiting")
  }

  @Test("a restarted coordinator has forgotten the move: the release is as good as before, and dropped it is claimed")
  func restarted() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    _ = try await books.rerank(assignment.job, urgent)
    let later = try await books.succeeded()
    _ = try await later.told()
    #expect(await later.bookkeeper.memory.void.isEmpty)
    try await later.drop(assignment.release)
    let told = try await later.returnFences(in: try await later.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
  }

  @Test("a rank is for ordered departments, a priority for the others")
  func wrongPlace() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let answer = try await books.bookkeeper.rerank(RerankOrder(job: assignment.job, rank: 3), .test)
    guard case .failure(let failure)? = answer else {
      Issue.record("it has a rank")
      return
    }
    #expect(failure.code == "wrong_place")
  }

  @Test("a job whose attempt fails while it is being moved is tried again, and who asked is told that it was started")
  func failedMeanwhile() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    _ = try await books.rerank(assignment.job, urgent)
    _ = try await books.told()
    try await books.fail(assignment)
    let told = try await books.told()
    #expect(told.failures == [.cannotRerank(assignment.job, "a worker has started it")])
    #expect(told.assignments.map(\.attempt) == [2])
  }
}
