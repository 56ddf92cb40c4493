import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("What is kept")
struct RetainingTests {
  @Test("what has ended for long enough is removed, when its notification is in the stream")
  func removes() async throws {
    let books = try await Books(retention: .everything)
    let assignments = try await books.fillWork(2)
    try await books.succeed(assignments[0])
    await books.bookkeeper.beginRetention()
    try await books.doChores()
    #expect(try await books.state(assignments[0].job) == .succeeded)
    try await books.retain()
    #expect(try await books.job(assignments[0].job) == nil)
    #expect(try await books.state(assignments[1].job) == .queued)
    #expect(await books.bookkeeper.memory == (try await books.freshMemory()))
  }

  @Test("what has ended lately stays")
  func keeps() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    try await books.retain()
    #expect(try await books.state(assignment.job) == .succeeded)
  }

  @Test("a ledger that is larger than it may be loses what ended first")
  func size() async throws {
    let books = try await Books(retention: .init(time: nil, size: 0))
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    try await books.retain()
    #expect(try await books.job(assignment.job) == nil)
  }

  @Test("more than one step removes are all removed in one round")
  func steps() async throws {
    let books = try await Books(retention: .everything)
    _ = try await books.bookkeeper.setPaused("work", true)
    let jobs = (0..<(Retaining.limit + 20)).map { _ in Submission(id: JobID(), kind: "deposit") }
    try await books.accept(jobs)
    _ = try await books.bookkeeper.cancel(jobs.map(\.id), because: .cancelled(by: "a test"))
    try await books.sendNotifications()
    await books.bookkeeper.beginRetention()
    #expect(try await books.bookkeeper.doChores())
    try await books.doChores()
    for job in [jobs.first, jobs.last] { #expect(try await books.job(try #require(job).id) == nil) }
  }

  @Test("a cancelled job whose release may still run stays, so that the run that was granted is known")
  func void() async throws {
    let books = try await Books(retention: .everything)
    let worker = WorkerID()
    try await books.present(worker)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.claim(assignment.release, by: worker)
    try await books.present(worker, probe: try #require(try await books.told().probes.last))
    #expect(try await books.returnFences(in: try await books.told()).verdicts == [.run(token: 2, attempt: 1)])
    _ = try await books.cancel(assignment.job)
    try await books.retain()
    let later = try await books.succeeded()
    try await later.drop(assignment.release)
    #expect(await later.bookkeeper.voidPlaces.count == 1)
    var granted = assignment
    granted.token = 2
    try await later.succeed(granted)
    #expect(await later.bookkeeper.voidPlaces.isEmpty)
    try await later.retain()
    #expect(try await later.job(assignment.job) == nil)
  }
}
