import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Jobs that wait for jobs")
struct ResolvingTests {
  private func dependent(
    on jobs: JobID..., rule: DependencyRule = .fail, id: JobID = JobID()
  ) -> Submission {
    Submission(id: id, kind: "deposit", after: Dependencies(jobs: jobs, rule: rule), reply: .test)
  }

  @Test("a job is released when all that it waits for have succeeded")
  func succeeds() async throws {
    let books = try await Books()
    let before = try await books.fillWork(2)
    let job = dependent(on: before[0].job, before[1].job)
    try await books.accept(job)
    try await books.succeed(before[0])
    try await books.doChores()
    #expect(try await books.told().assignments.isEmpty)
    try await books.succeed(before[1])
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [job.id])
    #expect(await books.bookkeeper.openDependencies == 0)
  }

  @Test(
    "when one fails, the job fails or is cancelled, and so do those behind it", arguments: DependencyRule.allCases)
  func fails(rule: DependencyRule) async throws {
    let books = try await Books()
    let before = try await books.fillWork(2)
    let job = dependent(on: before[0].job, before[1].job, rule: rule)
    let behind = dependent(on: job.id, rule: rule)
    try await books.accept(job, behind)
    try await books.fail(before[0], isPermanent: true)
    try await books.doChores()
    let expected = rule == .fail ? JobState.failed : .cancelled
    #expect(try await books.state(job.id) == expected)
    #expect(try await books.state(behind.id) == expected)
    #expect(try await books.failure(job.id) == "dependency")
    #expect(await books.bookkeeper.openDependencies == 0)
    #expect(await books.bookkeeper.memory.desks["work"]?.dependent == 0)
  }

  @Test("a job that waits for one that has failed already is never released", arguments: DependencyRule.allCases)
  func failedAlready(rule: DependencyRule) async throws {
    let books = try await Books()
    let before = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.fail(before, isPermanent: true)
    let job = dependent(on: before.job, rule: rule)
    try await books.accept(job)
    let told = try await books.told()
    #expect(told.assignments.isEmpty)
    #expect(told.void.isEmpty)
    #expect(told.replies.first == .accepted)
    #expect(try await books.state(job.id) == (rule == .fail ? .failed : .cancelled))
    #expect(await books.bookkeeper.memory == (try await books.freshMemory()))
  }

  @Test("a job that waits for one that has succeeded already is released at once")
  func succeededAlready() async throws {
    let books = try await Books()
    let before = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(before)
    let job = dependent(on: before.job)
    #expect(try await books.release(job).job == job.id)
  }

  @Test("a job may be accepted before the one that it waits for")
  func unknownThenKnown() async throws {
    let books = try await Books()
    let id = JobID()
    let job = dependent(on: id)
    try await books.accept(job)
    let before = try await books.release(Submission(id: id, kind: "deposit"))
    await books.bookkeeper.goOn(through: 0...601, after: books.now)
    try await books.bookkeeper.endUnknownDependencies()
    #expect(try await books.state(job.id) == .held)
    try await books.succeed(before)
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [job.id])
  }

  @Test("a job that waits for one that is never submitted ends after a time", arguments: DependencyRule.allCases)
  func unknownTooLong(rule: DependencyRule) async throws {
    let books = try await Books()
    let job = dependent(on: JobID(), rule: rule)
    try await books.accept(job)
    let start = books.now
    await books.bookkeeper.goOn(through: 0...500, after: start)
    try await books.bookkeeper.endUnknownDependencies()
    #expect(try await books.state(job.id) == .held)
    await books.bookkeeper.goOn(through: 501...601, after: start)
    try await books.bookkeeper.endUnknownDependencies()
    #expect(try await books.failure(job.id) == "unknown_dependency")
    #expect(try await books.state(job.id) == (rule == .fail ? .failed : .cancelled))
  }

  @Test("the time in which no coordinator served does not count for that")
  func unknownThroughDowntime() async throws {
    let books = try await Books()
    let job = dependent(on: JobID())
    try await books.accept(job)
    let start = books.now
    await books.bookkeeper.goOn(through: 0...60, after: start)
    // Nobody serves for an hour; then the same coordinator, or another one.
    for later in [books, try await books.succeeded()] {
      await later.bookkeeper.goOn(through: 3_600...4_100, after: start)
      try await later.bookkeeper.endUnknownDependencies()
      #expect(try await later.state(job.id) == .held)
      let reasons = try await later.bookkeeper.explain(job.id)?.reasons ?? []
      #expect(reasons.map(\.hold) == [.after, .after])
      #expect(reasons.last?.endsAt.map { $0 > books.now } == true)
    }
    await books.bookkeeper.goOn(through: 4_101...4_150, after: start)
    try await books.bookkeeper.endUnknownDependencies()
    #expect(try await books.failure(job.id) == "unknown_dependency")
  }

  @Test(
    "one that has ended and was removed counts as it ended: no wait, no silence",
    arguments: [JobState.succeeded, .failed, .cancelled])
  func removedAlready(state: JobState) async throws {
    let books = try await Books(retention: .everything)
    let before = JobID()
    if state == .cancelled {
      // A release that was taken back keeps its job for a while.
      try await books.accept(Submission(id: before, kind: "deposit", runAt: .within(.seconds(3_600))))
      _ = try await books.cancel(before)
    } else {
      let released = try await books.release(Submission(id: before, kind: "deposit"))
      if state == .succeeded {
        try await books.succeed(released)
      } else {
        try await books.fail(released, isPermanent: true)
      }
    }
    _ = try await books.told()
    try await books.retain()
    #expect(try await books.job(before) == nil)
    let job = dependent(on: before)
    try await books.accept(job)
    if state == .succeeded {
      #expect(try await books.told().assignments.map(\.job) == [job.id])
    } else {
      #expect(try await books.failure(job.id) == "dependency")
    }
    #expect(await books.bookkeeper.openDependencies == 0)
  }

  /// Made so long before now.
  private func id(madeBefore span: Duration) -> JobID {
    var generator = SystemRandomNumberGenerator()
    return JobID(version7: HandClock.start - span, using: &generator)
  }

  @Test(
    "one that nobody knows, and whose id is old, is refused at once; a young one, and one that tells no time, is waited for"
  )
  func oldUnknown() async throws {
    let books = try await Books()
    let job = dependent(on: id(madeBefore: .seconds(700)), id: id(madeBefore: .zero))
    try await books.accept(job)
    #expect(try await books.told().rejections(to: .test) == ["unknown_dependency"])
    #expect(try await books.job(job.id) == nil)
    for other in [id(madeBefore: .seconds(500)), JobID(UUID())] {
      let job = dependent(on: other, id: id(madeBefore: .zero))
      try await books.accept(job)
      #expect(try await books.told().replies == [.accepted])
      #expect(try await books.state(job.id) == .held)
    }
  }

  @Test("two that stood in the queue for hours may be accepted in either order: their own times count, not the present")
  func oldTogether() async throws {
    let books = try await Books()
    let (first, second) = (id(madeBefore: .seconds(7_200)), id(madeBefore: .seconds(7_190)))
    // The one that waits is read first. Its submitter has said when it was submitted, or only its id tells.
    for submittedAt in [HandClock.start - .seconds(7_180), nil] {
      var job = dependent(on: first, id: submittedAt == nil ? second : JobID())
      job.submittedAt = submittedAt
      try await books.accept(job)
      #expect(try await books.told().replies == [.accepted])
      #expect(try await books.state(job.id) == .held)
    }
    _ = try await books.release(Submission(id: first, kind: "deposit"))
  }

  @Test("jobs that would wait for each other are refused")
  func circle() async throws {
    let books = try await Books()
    let (first, second) = (JobID(), JobID())
    try await books.accept(dependent(on: second, id: first))
    _ = try await books.told()
    try await books.accept(dependent(on: first, id: second))
    guard case .rejected(let failure)? = try await books.told().replies.first else {
      Issue.record("the circle is closed")
      return
    }
    #expect(failure.code == "bad_after")
    #expect(try await books.job(second) == nil)
  }

  @Test("many that wait for one are settled in steps, and a restart in between loses none")
  func many() async throws {
    let books = try await Books()
    let before = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let count = 2 * Resolving.limit + 50
    try await books.accept((0..<count).map { _ in dependent(on: before.job) })
    try await books.succeed(before)
    #expect(try await books.bookkeeper.doChores())
    #expect(await books.bookkeeper.memory.desks["work"]?.dependent == count - Resolving.limit)
    let later = try await books.succeeded()
    #expect(try await later.doChores() > 1)
    let desk = try #require(await later.bookkeeper.memory.desks["work"])
    #expect(desk.dependent == 0)
    #expect(desk.ready.reduce(0, +) + desk.inUse == count)
  }

  private func plan(_ id: JobID) -> Incoming {
    let plan = PlanSubmission(id: id, department: "init", steps: [PlanStep(name: "only", kind: "step", rank: 1)])
    return Incoming(.plan(plan))
  }

  @Test("a job may wait for a plan, whichever of them comes first", arguments: [true, false])
  func afterPlan(isPlanFirst: Bool) async throws {
    let books = try await Books()
    let id = JobID()
    let job = dependent(on: id)
    if !isPlanFirst { try await books.accept(job) }
    _ = try await books.bookkeeper.accept([plan(id)])
    if isPlanFirst { try await books.accept(job) }
    let step = try #require(try await books.told().assignments.first)
    await books.bookkeeper.goOn(through: 0...601, after: books.now)
    try await books.bookkeeper.endUnknownDependencies()
    #expect(try await books.state(job.id) == .held)
    try await books.succeed(step)
    let later = try await books.succeeded()
    try await later.doChores()
    #expect(try await later.told().assignments.map(\.job) == [job.id])
    let afterwards = dependent(on: id)
    #expect(try await later.release(afterwards).job == afterwards.id)
  }

  @Test("a job that waits for a plan which fails does not run")
  func afterFailedPlan() async throws {
    let books = try await Books()
    let id = JobID()
    let job = dependent(on: id)
    _ = try await books.bookkeeper.accept([plan(id)])
    try await books.accept(job)
    try await books.fail(try #require(try await books.told().assignments.first), isPermanent: true)
    try await books.doChores()
    #expect(try await books.failure(job.id) == "dependency")
  }

  @Test("a long line of jobs that wait for each other grows at its end; where nobody can tell, that is said")
  func longLine() async throws {
    let books = try await Books()
    let ids = (0...(Resolving.circleLimit + 10)).map { _ in JobID() }
    try await books.accept((1..<ids.count).map { dependent(on: ids[$0 - 1], id: ids[$0]) })
    #expect(try await books.told().replies.allSatisfy { $0 == .accepted })
    let (waiting, other) = (dependent(on: JobID()), JobID())
    try await books.accept(dependent(on: other))
    _ = try await books.told()
    try await books.accept(dependent(on: try #require(ids.last), id: other), waiting)
    let replies = try await books.told().replies
    guard case .rejected(let failure)? = replies.first else {
      Issue.record("nobody can tell, and it is accepted")
      return
    }
    #expect(failure.message.hasPrefix("more than \(Resolving.circleLimit) jobs come before job"))
    #expect(replies.last == .accepted)
  }
}
