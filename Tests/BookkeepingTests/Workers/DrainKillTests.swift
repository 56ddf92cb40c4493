import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// Workers that are told to drain, and killed before their drain has ended: every deploy of a fleet with long jobs.
@Suite("Workers that are killed while they drain, in the books")
struct DrainKillTests {
  private var books: Books
  private var now: Duration = .zero

  init() async throws { books = try await Books() }

  /// A worker that runs the job drains, and dies.
  private mutating func kill(
    _ assignment: Assignment, isDraining: Bool = true
  ) async throws -> Assignment? {
    let running = [RunningRelease(release: assignment.release, token: assignment.token)]
    let worker = WorkerID()
    books.bookkeeper.confirmed([assignment.release])
    try await books.present(worker, at: now)
    try await books.present(worker, running: running, at: now)
    if isDraining { try await books.present(worker, running: running, isDraining: true, at: now) }
    _ = try await books.told()
    for _ in 1...12 {
      now += .seconds(1)
      try await books.bookkeeper.tick(at: now, isBlocked: false)
    }
    return try await books.returnFences(in: try await books.told()).assignments.first
  }

  @Test("three deploys do not make a job poison, nor a suspect: it runs again as the same attempt, and show says why")
  mutating func deploys() async throws {
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    for _ in 1...3 {
      let again = try #require(try await kill(assignment))
      #expect(again.attempt == 1 && !again.mustClaim && again.release != assignment.release)
      assignment = again
    }
    let job = try #require(try await books.job(assignment.job))
    #expect((job.progress.deaths, job.progress.isSuspect) == (0, false))
    let attempts = try await books.ledger.read { [assignment] in try $0.attempts(of: assignment.job) }
    #expect(attempts.map(\.failure?.code) == [JobFailure.Code.drained] && attempts.map(\.end) == [.interrupted])
    #expect(attempts.first?.failure?.message.contains("killed while draining") == true)
    try await books.succeed(assignment)
    #expect(try await books.state(assignment.job) == .succeeded)
    let whole = try await books.ledger.read { [assignment] in try $0.attempts(of: assignment.job) }
    #expect(whole.map(\.end) == [.succeeded], "the attempt was not used up")
  }

  @Test("a coordinator that was restarted in the meantime knows of the drain")
  func restarted() async throws {
    let worker = WorkerID()
    for isDraining in [false, true] { try await books.present(worker, isDraining: isDraining, drainMs: 60_000) }
    let until = try #require(await books.bookkeeper.workers[worker]?.drainsUntil)
    let later = try await books.succeeded()
    #expect(await later.bookkeeper.workers[worker]?.drainsUntil == until)
    // It says the same when it is welcomed anew, and what it said first counts.
    try await later.present(worker, session: 2, isDraining: true, drainMs: 3_600_000)
    #expect(await later.bookkeeper.workers[worker]?.drainsUntil == until)
  }

  @Test("a death without a drain, and one long after the time that the worker had said, count as before")
  mutating func others() async throws {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await kill(assignment, isDraining: false) != nil)
    #expect(try await books.job(assignment.job)?.progress.deaths == 1)
    // The lease has passed since it was heard, and it had no time left by then.
    let late = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let worker = WorkerID()
    let running = [RunningRelease(release: late.release, token: late.token)]
    books.bookkeeper.confirmed([late.release])
    try await books.present(worker, at: now)
    try await books.present(worker, running: running, isDraining: true, drainMs: 0, at: now)
    let entry = await books.bookkeeper.workers[worker]
    let until = try #require(entry?.drainsUntil)
    #expect(entry?.diedDraining(heard: until) == true && entry?.diedDraining(heard: until + .milliseconds(1)) == false)
    // What it says later does not put it off.
    try await books.present(worker, running: running, isDraining: true, drainMs: 60_000, at: now)
    #expect(await books.bookkeeper.workers[worker]?.drainsUntil == until)
    // One that does not drain any more has no such time.
    try await books.present(worker, running: running, at: now)
    #expect(await books.bookkeeper.workers[worker]?.drainsUntil == nil)
  }

  @Test("a drain is no excuse for ever: after ten such deaths further ones count")
  mutating func bounded() async throws {
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    for kill in 1...UnusedAttempts.drainLimit + 1 {
      let again = try #require(try await self.kill(assignment))
      let deaths = try await books.job(assignment.job)?.progress.deaths
      #expect(deaths == (kill > UnusedAttempts.drainLimit ? 1 : 0), "kill \(kill)")
      assignment = again
    }
  }

  @Test("a job that may run at most once is lost also then")
  mutating func once() async throws {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", maxAttempts: 1))
    #expect(try await kill(assignment) == nil)
    #expect(try await books.failure(assignment.job) == JobFailure.Code.lost)
  }
}
