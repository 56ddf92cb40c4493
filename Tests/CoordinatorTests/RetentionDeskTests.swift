import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("What is kept")
struct RetentionDeskTests {
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
    let jobs = (0..<(Bookkeeper.removalLimit + 20)).map { _ in Submission(id: JobID(), kind: "deposit") }
    try await books.accept(jobs)
    _ = try await books.bookkeeper.cancel(jobs.map(\.id), because: .cancelled(by: "a test"))
    try await books.sendNotifications()
    await books.bookkeeper.beginRetention()
    #expect(try await books.bookkeeper.doChores())
    try await books.doChores()
    for job in [jobs.first, jobs.last] { #expect(try await books.job(try #require(job).id) == nil) }
  }
}
