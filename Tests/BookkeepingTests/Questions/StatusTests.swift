import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Ages and rates of the status")
struct StatusTests {
  private func status(of department: Department, _ books: Books) async throws -> DepartmentStatus {
    let status = try await books.bookkeeper.status(broker: .connected, at: books.clock.monotonic)
    return try #require(status.departments.first { $0.department == department })
  }

  private func oldest(_ department: Department, _ books: Books) async throws -> Duration? {
    try await status(of: department, books).oldestWaiting
  }

  @Test("the oldest waiting job is held for room, or is queued; a running, delayed or dependent job is none")
  func oldest() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker, tellers: ["capped": 2])
    #expect(try await oldest("capped", books) == nil)
    let delayed = Submission(id: JobID(), kind: "vault", runAt: .within(.seconds(600)))
    try await books.accept(delayed, Submission(id: JobID(), kind: "vault", after: Dependencies(jobs: [delayed.id])))
    #expect(try await oldest("capped", books) == nil)

    let first = try await books.release(Submission(id: JobID(), kind: "vault"))
    books.clock.pass(.seconds(7))
    #expect(try await oldest("capped", books) == .seconds(7))

    let running = [RunningRelease(release: first.release, token: first.token)]
    try await books.present(worker, tellers: ["capped": 2], running: running)
    #expect(try await oldest("capped", books) == nil, "it runs")
    try await books.accept((0..<3).map { _ in Submission(id: JobID(), kind: "vault") })
    #expect(try await oldest("capped", books) != nil)
    #expect(try await oldest("work", books) == nil)
  }

  @Test("a job that is only held for room is the oldest, however many are queued since")
  func held() async throws {
    let books = try await Books(window: 1)
    _ = try await books.release(Submission(id: JobID(), kind: "deposit", priority: .highest))
    let pause = try await books.bookkeeper.setPaused("work", true)
    #expect(pause.isNew)
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    books.clock.pass(.seconds(500))
    #expect(try await oldest("work", books) == .seconds(500))
  }

  @Test("stuck tellers are counted and explained, also those of a job that was cancelled or is not known")
  func stuck() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let cancelled = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let runs = RunningRelease(release: cancelled.release, token: cancelled.token, isStuck: true)
    let foreign = RunningRelease(release: ReleaseID(job: JobID(), number: 1), token: 1, isStuck: true)
    try await books.present(worker, running: [runs])
    _ = try await books.cancel(cancelled.release.job)
    let waiting = try await books.release(Submission(id: JobID(), kind: "deposit")).release.job
    #expect(try await status(of: "work", books).stuckTellers == 0)
    try await books.present(worker, stuck: ["work": 2], running: [runs, foreign])
    #expect(try await status(of: "work", books).stuckTellers == 2)
    let reason = try await books.bookkeeper.explain(waiting)?.reasons.first
    #expect(reason?.hold == .stuck && reason?.jobs == [cancelled.release.job])
    try await books.present(worker)
    #expect(try await status(of: "work", books).stuckTellers == 0)
    #expect(try await books.bookkeeper.explain(waiting)?.reasons.map(\.hold) == [.queue])
  }

  @Test("a job that waits for a handler counts")
  func unserved() async throws {
    let books = try await Books()
    try await books.present(WorkerID(), kinds: ["deposit"])
    try await books.accept(Submission(id: JobID(), kind: "loan"))
    books.clock.pass(.seconds(500))
    #expect(try await status(of: "work", books).unserved == 1)
    #expect(try await oldest("work", books) == .seconds(500))
  }

  @Test("a job counts from the time that it was scheduled for, not from its acceptance")
  func scheduled() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.accept(Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(50))))
    try await books.lookAtClock(after: .seconds(51))
    #expect(try await status(of: "work", books).delayed == 0)
    books.clock.pass(.seconds(60))
    #expect(try await oldest("work", books) == .seconds(10))
  }

  @Test("accepted and ended jobs of the last minute are counted, in whatever way they end, and not again by a restart")
  func rates() async throws {
    let books = try await Books()
    let released = try await books.fillWork(6)
    try await books.succeed(released[0], released[1])
    try await books.fail(released[2], isPermanent: true)
    _ = try await books.cancel(released[3].job)
    try await books.fail(released[4])
    let work = try await status(of: "work", books)
    #expect(work.acceptedLastMinute == 6 && work.endedLastMinute == 4, "an attempt that is tried again is no end")
    #expect(work.acceptedRate == 0.1 && abs(work.endedRate - 4.0 / 60) < 0.000_1)
    let other = try await status(of: "init", books)
    #expect(other.acceptedLastMinute == 0 && other.endedLastMinute == 0)
    let later = try await books.succeeded()
    let anew = try await status(of: "work", later)
    #expect(anew.acceptedLastMinute == 0 && anew.endedLastMinute == 0, "another process counts anew")
  }
}
