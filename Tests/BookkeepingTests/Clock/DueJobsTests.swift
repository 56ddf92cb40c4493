import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The clock of the bookkeeper")
struct DueJobsTests {
  @Test("a scheduled job is released when its time has come, also by a coordinator that takes over")
  func due() async throws {
    let books = try await Books()
    let job = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(3_600)))
    try await books.accept(job)
    #expect(await books.bookkeeper.memory.desks["work"]?.delayed == 1)
    let later = try await books.succeeded()
    #expect(await later.bookkeeper.nextDue != nil)
    try await later.lookAtClock(after: .seconds(1_800))
    #expect(try await later.told().assignments.isEmpty)
    try await later.lookAtClock(after: .seconds(3_601))
    #expect(try await later.told().assignments.map(\.job) == [job.id])
    #expect(await later.bookkeeper.nextDue == nil)
  }

  @Test("more jobs than one turn lifts are all lifted")
  func manyDue() async throws {
    let books = try await Books()
    let count = DueJobs.limit + 10
    try await books.accept(
      (0..<count).map { _ in Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(60))) })
    let time = books.now + .seconds(61)
    #expect(try await books.bookkeeper.lookAtClock(time), "there is more to do at once")
    #expect(await books.bookkeeper.memory.desks["work"]?.delayed == 10)
    #expect(try await !books.bookkeeper.lookAtClock(time))
    #expect(await books.bookkeeper.memory.desks["work"]?.delayed == 0)
  }

  @Test("a job that is scheduled and waits for another one needs both")
  func dueAndDependent() async throws {
    let books = try await Books()
    let first = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let job = Submission(
      id: JobID(), kind: "deposit", runAt: .within(.seconds(60)), after: Dependencies(jobs: [first.job]))
    try await books.accept(job)
    try await books.lookAtClock(after: .seconds(61))
    #expect(try await books.told().assignments.isEmpty)
    #expect(await books.bookkeeper.memory.desks["work"]?.dependent == 1)
    try await books.succeed(first)
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [job.id])
  }

  @Test("a held job that comes too late fails at once")
  func tooLateHeld() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let job = Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60)), reply: .test)
    try await books.accept(job)
    try await books.lookAtClock(after: .seconds(30))
    #expect(try await books.state(job.id) == .held)
    let later = try await books.succeeded()
    try await later.lookAtClock(after: .seconds(61))
    #expect(try await later.failure(job.id) == "too_late")
    #expect(try await later.told().replies == [.outcome(.failed(.tooLate()))])
    #expect(await later.bookkeeper.nextTooLate == nil)
  }

  @Test("a queued job that comes too late fails when no worker can have it, and keeps its place until it is dropped")
  func tooLateQueued() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60))))
    try await books.lookAtClock(after: .seconds(61))
    let asked = try await books.told()
    #expect(asked.void == [assignment.release])
    #expect(try await books.state(assignment.job) == .queued)
    let told = try await books.returnFences(in: asked)
    #expect(try await books.failure(assignment.job) == "too_late")
    #expect(told.voidChanges.last?.ended == [assignment.release])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 1)
    try await books.drop(assignment.release)
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
  }

  @Test("a restart in the middle of that only begins it anew")
  func tooLateRestarted() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60))))
    try await books.lookAtClock(after: .seconds(61))
    let later = try await books.succeeded()
    _ = try await later.told()
    #expect(try await later.state(assignment.job) == .queued)
    try await later.lookAtClock(after: .seconds(61))
    _ = try await later.returnFences(in: try await later.told())
    #expect(try await later.failure(assignment.job) == "too_late")
  }

  @Test("a job that has been started does not come too late")
  func started() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60))))
    try await books.present(
      WorkerID(), running: [RunningRelease(release: assignment.release, token: assignment.token)])
    try await books.lookAtClock(after: .seconds(61))
    #expect(try await books.told().void.isEmpty)
    try await books.succeed(assignment)
    #expect(try await books.state(assignment.job) == .succeeded)
  }

  @Test("released jobs that are being taken back keep none behind them from coming too late")
  func manyTooLate() async throws {
    let count = DueJobs.limit + 10
    let books = try await Books(window: count)
    try await books.accept(
      (0..<count).map { _ in Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60))) })
    let held = Submission(id: JobID(), kind: "step", startBy: .within(.seconds(61)))
    _ = try await books.bookkeeper.setPaused("init", true)
    try await books.accept(held)
    #expect(try await books.lookAtClock(after: .seconds(70)))
    #expect(try await books.state(held.id) == .held)
    #expect(try await !books.lookAtClock(after: .seconds(70)))
    #expect(try await books.failure(held.id) == "too_late")
    #expect(await books.bookkeeper.changes.count == count)
    #expect(await books.bookkeeper.nextTooLate != nil)
  }

  @Test("a kind's time to start counts for replays and for the steps of plans too")
  func startWithinOfKind() async throws {
    let books = try await Books().succeeded { configuration in
      configuration.kinds["deposit"]?.startWithin = .seconds(60)
      configuration.kinds["step"]?.startWithin = .seconds(60)
    }
    let failed = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.fail(failed, isPermanent: true)
    _ = try await books.bookkeeper.setPaused("work", true)
    _ = try await books.bookkeeper.setPaused("init", true)
    let earliest = await books.bookkeeper.now
    _ = try await books.bookkeeper.replay([failed.job])
    let plan = PlanSubmission(
      id: JobID(), department: "init", steps: [PlanStep(name: "only", kind: "step", rank: 1)])
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    try await books.bookkeeper.lookAtClock(earliest + .milliseconds(59_999))
    #expect(try await books.failure(JobID(replayOf: failed.job)) == nil)
    try await books.lookAtClock(after: .seconds(61))
    #expect(try await books.failure(JobID(replayOf: failed.job)) == "too_late")
    #expect(try await books.failure(JobID(plan: plan.id, step: "only")) == "too_late")
  }
}
