import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// Jobs whose workers die, in the books: who is released again at once, who waits, and who is charged.
@Suite("Jobs that were running when workers died, in the books")
struct SuspectLinesTests {
  @Test("a first death costs its jobs one interruption: all are released again at once, and no attempt is used up")
  func first() async throws {
    let scene = try await SuspectScene()
    let jobs = try await scene.books.fillWork(3)
    try await scene.run(jobs)
    let again = try await scene.die()
    #expect(Set(again.map(\.job)) == Set(jobs.map(\.job)))
    // The next start of each is recorded before it runs.
    #expect(again.allSatisfy { $0.attempt == 1 && $0.mustClaim })
    #expect(await scene.books.bookkeeper.books["work"]?.suspects == 0)
  }

  @Test("after a second one they wait in line, one is released at a time, and each says so")
  func line() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(3, "deposit")
    #expect(released.count == 1)
    #expect(await scene.books.bookkeeper.books["work"]?.suspects == 2)
    #expect(try await scene.books.freshMemory().differences(from: scene.books.bookkeeper.memory) == [])
    let waiting = try #require(scene.jobs.first { $0 != released[0].job })
    let reason = try #require(try await scene.books.bookkeeper.explain(waiting)?.reasons.first)
    #expect((reason.hold, reason.jobs) == (.suspect, [released[0].job]))
    #expect(reason.text.contains("2 workers died or were lost while it ran"), "\(reason.text)")
    #expect(reason.text.contains("one of 2 in the line"), "\(reason.text)")
    let alone = try await scene.books.bookkeeper.explain(released[0].job)?.reasons.map(\.hold)
    #expect(alone == [.noTeller, .suspect])
    // Others are not held up.
    #expect(try await scene.books.fillWork(2).count == 2)
  }

  @Test("the next one is released when that one has ended, and when it has failed an attempt")
  func next() async throws {
    let scene = try await SuspectScene()
    var released = try await scene.makeSuspects(3, "loan")
    try await scene.books.fail(try await scene.grant(released))
    released = try await scene.books.told().assignments
    #expect(released.count == 1)
    try await scene.books.succeed(try await scene.grant(released))
    let last = try await scene.books.told().assignments
    #expect(last.count == 1)
    try await scene.books.succeed(try await scene.grant(last))
    #expect(try await scene.books.told().assignments.isEmpty)
    // The one that failed is tried again behind its back-off, and is a suspect still.
    try await scene.books.lookAtClock(after: .seconds(700))
    let retried = try await scene.books.told().assignments
    #expect(retried.map(\.attempt) == [2])
    #expect(retried.allSatisfy { $0.mustClaim })
    #expect(await scene.books.bookkeeper.releasedSuspects == Set(retried.map(\.job)))
  }

  @Test("a suspect that dies alone is charged and goes behind the others; its attempts used up, it is poison")
  func poison() async throws {
    let scene = try await SuspectScene()
    var released = try await scene.makeSuspects(2, "deposit")
    let poison = released[0].job
    try await scene.run([try await scene.grant(released)] + scene.books.fillWork(2))
    let company = try await scene.die()
    #expect(try await scene.books.job(poison)?.progress.attempt == 2)
    // The other suspect waits for those that ran beside: with them it would not be the only one that can be the cause.
    #expect(company.count == 2 && !company.contains { scene.jobs.contains($0.job) })
    let other = try #require(scene.jobs.first { $0 != poison })
    let reason = try #require(try await scene.books.bookkeeper.explain(other)?.reasons.first)
    #expect(reason.jobs == company.map(\.job).sorted { $0.description < $1.description })
    for assignment in company { try await scene.books.succeed(try await scene.grant([assignment])) }
    released = try await scene.books.told().assignments
    #expect(released.map(\.job) == [other])
    try await scene.books.succeed(try await scene.grant(released))
    released = try await scene.books.told().assignments
    #expect(released.map(\.job) == [poison])
    try await scene.run([try await scene.grant(released)])
    _ = try await scene.die()
    #expect(try await scene.books.failure(poison) == "poison")
    let attempts = try await scene.books.ledger.read { try $0.attempts(of: poison) }
    #expect(attempts.map(\.end) == [.interrupted, .interrupted])
  }

  @Test("a suspect is not charged for a death at which a cancelled job ran on beside it")
  func besideCancelled() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(2, "deposit")
    let suspect = try await scene.grant(released)
    let other = try #require(try await scene.books.fillWork(1).first)
    try await scene.run([suspect, other])
    #expect(try await scene.books.cancel(other.job).changed == [other.job])
    // The worker tells on that it runs both.
    try await scene.run([suspect, other])
    _ = try await scene.die()
    #expect(try await scene.books.job(suspect.job)?.progress.attempt == 1)
    #expect(try await scene.books.job(suspect.job)?.progress.deaths == 3)
  }

  @Test("what the dead worker listed and has reported since was not beside it: the suspect is charged")
  func besideReported() async throws {
    let scene = try await SuspectScene()
    let suspect = try await scene.grant(try await scene.makeSuspects(2, "deposit"))
    let other = try #require(try await scene.books.fillWork(1).first)
    try await scene.run([suspect, other])
    try await scene.books.succeed(other)
    _ = try await scene.die()
    #expect(try await scene.books.job(suspect.job)?.progress.attempt == 2)
  }

  @Test("where others are running at one death all the time, a suspect waits for them for a limited time")
  func impatient() async throws {
    let scene = try await SuspectScene()
    let suspect = try await scene.grant(try await scene.makeSuspects(2, "deposit"))
    try await scene.run([suspect] + scene.books.fillWork(1))
    let company = try await scene.die()
    #expect(company.count == 1 && !company.contains { scene.jobs.contains($0.job) })
    await scene.books.bookkeeper.losePatience()
    try await scene.present(WorkerID(), kinds: ["deposit"])
    #expect(try await scene.books.told().assignments.filter { scene.jobs.contains($0.job) }.count == 1)
  }

  @Test("of two suspects of different departments one runs in a worker at a time: the other one goes back to its line")
  func oneInWorker() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(1, "deposit", and: "vault")
    #expect(released.count == 2)
    let verdicts = try await scene.claim(released).verdicts
    #expect(verdicts.count { $0 == .drop } == 1)
    let live = await scene.books.bookkeeper.released
    let started = try #require(released.first { live[$0.job]?.progress.wasStarted == true })
    let other = try #require(released.first { $0.job != started.job })
    let reason = try #require(try await scene.books.bookkeeper.explain(other.job)?.reasons.first)
    #expect((reason.hold, reason.jobs) == (.suspect, [started.job]))
    try await scene.books.succeed(await scene.current(started))
    #expect(try await scene.books.told().assignments.map(\.job) == [other.job])
  }

  @Test("in an ordered department a suspect keeps its place, and all behind it wait")
  func ordered() async throws {
    let scene = try await SuspectScene()
    let first = try await scene.makeSuspects(1, "step")
    let behind = Submission(id: JobID(), kind: "step")
    try await scene.books.accept(behind)
    #expect(try await scene.books.told().assignments.isEmpty)
    try await scene.books.succeed(try await scene.grant(first))
    #expect(try await scene.books.told().assignments.map(\.job) == [behind.id])
  }

  @Test("the line is the same for a coordinator that starts anew, and a paused department releases nothing of it")
  func restart() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(2, "deposit")
    _ = try await scene.books.bookkeeper.setPaused("work", true)
    try await scene.restart()
    #expect(await scene.books.bookkeeper.releasedSuspects == [released[0].job])
    try await scene.books.succeed(try await scene.grant(released))
    #expect(try await scene.books.told().assignments.isEmpty)
    _ = try await scene.books.bookkeeper.setPaused("work", false)
    #expect(try await scene.books.told().assignments.count == 1)
  }

  @Test("a suspect that was held for a handler has its turn as soon as a worker has one")
  func handlerComes() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(2, "deposit")
    let waiting = try #require(scene.jobs.first { $0 != released[0].job })
    try await scene.present(WorkerID("other"), kinds: ["loan"])
    #expect(try await scene.books.cancel(released[0].job).changed == [released[0].job])
    try await scene.books.doChores()
    #expect(try await scene.books.told().assignments.isEmpty)
    #expect(await scene.books.bookkeeper.books["work"]?.unserved == 1)
    try await scene.present(WorkerID("new"), kinds: ["deposit", "loan"])
    try await scene.books.doChores()
    #expect(try await scene.books.told().assignments.map(\.job) == [waiting])
    #expect(try await scene.books.freshMemory().differences(from: scene.books.bookkeeper.memory) == [])
  }

  @Test("a suspect that is cancelled in its line is gone from it")
  func cancelled() async throws {
    let scene = try await SuspectScene()
    let released = try await scene.makeSuspects(2, "deposit")
    let waiting = try #require(scene.jobs.first { $0 != released[0].job })
    #expect(try await scene.books.cancel(waiting).changed == [waiting])
    #expect(await scene.books.bookkeeper.books["work"]?.suspects == 0)
    #expect(try await scene.books.freshMemory().differences(from: scene.books.bookkeeper.memory) == [])
  }
}

/// The books, and the time.
private final class SuspectScene {
  private(set) var books: Books
  private(set) var jobs: [JobID] = []
  private var now: Duration = .zero
  /// Who serves, until it dies.
  private(set) var server = WorkerID()
  private static let tellers = ["work": 6, "capped": 2, "init": 1]

  init() async throws { books = try await Books() }

  func restart() async throws {
    books = try await books.succeeded()
    try await books.bookkeeper.tick(at: now, isBlocked: false)
    _ = try await books.told()
  }

  func present(_ worker: WorkerID, kinds: Set<JobKind>) async throws {
    try await books.present(worker, tellers: Self.tellers, kinds: kinds, at: now)
  }

  /// The worker runs them, and is seen to.
  func run(_ assignments: [Assignment]) async throws {
    books.bookkeeper.confirmed(assignments.map(\.release))
    for running in [[], assignments.map { RunningRelease(release: $0.release, token: $0.token) }] {
      try await books.present(server, tellers: Self.tellers, running: running, at: now)
    }
    _ = try await books.told()
  }

  /// The worker asks for them; what is told then.
  func claim(_ assignments: [Assignment]) async throws -> [Outgoing] {
    try await run([])
    for assignment in assignments { try await books.claim(assignment.release, by: server) }
    var told: [Outgoing] = []
    var news = try await books.told()
    // What came while a round was under way has the next one.
    while let probe = news.probes.max() {
      try await books.present(server, tellers: Self.tellers, probe: probe, at: now)
      news = try await books.returnFences(in: try await books.told())
      told += news
    }
    return told
  }

  /// The worker has claimed the only one, and may run it.
  func grant(_ assignments: [Assignment]) async throws -> Assignment {
    let only = try #require(assignments.first)
    #expect(assignments.count == 1)
    #expect(try await claim([only]).verdicts.contains { if case .run = $0 { true } else { false } })
    return await current(only)
  }

  /// The same with its present token.
  func current(_ assignment: Assignment) async -> Assignment {
    var current = assignment
    current.token = await books.bookkeeper.released[assignment.job]?.progress.token ?? 0
    return current
  }

  /// The worker has died: its lease passes. What is released then.
  func die() async throws -> [Assignment] {
    for _ in 1...12 {
      now += .seconds(1)
      try await books.bookkeeper.tick(at: now, isBlocked: false)
    }
    server = WorkerID()
    return try await books.returnFences(in: try await books.told()).assignments
  }

  /// As many jobs of each kind run side by side at two deaths; those that are released then.
  func makeSuspects(_ count: Int, _ kind: JobKind, and other: JobKind? = nil) async throws -> [Assignment] {
    let kinds = [kind] + (other.map { [$0] } ?? [])
    try await books.accept(kinds.flatMap { kind in (0..<count).map { _ in Submission(id: JobID(), kind: kind) } })
    var released = try await books.told().assignments
    jobs = released.map(\.job)
    try await run(released)
    released = try await die()
    _ = try await claim(released)
    var granted: [Assignment] = []
    for assignment in released { granted.append(await current(assignment)) }
    try await run(granted)
    return try await die()
  }
}
