import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Coordinator

@Suite("The connections of a worker, one after the other")
struct PresenceSessionTests {
  private let worker = WorkerID()

  private func running(_ books: Books) async throws -> [RunningRelease] {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    return [RunningRelease(release: assignment.release, token: assignment.token)]
  }

  private func listed(_ books: Books) async -> [RunningRelease]? {
    await books.bookkeeper.attendance.workers[worker]?.running
  }

  @Test("what an earlier connection said is stale: neither its list nor its goodbye counts")
  func earlier() async throws {
    let books = try await Books()
    let running = try await running(books)
    try await books.present(worker, session: 1)
    try await books.present(worker, session: 2, running: running)
    try await books.present(worker, session: 1, running: [])
    #expect(await listed(books) == running)
    try await books.present(worker, session: 1, isGoodbye: true)
    #expect(await books.bookkeeper.attendance.isWelcome(worker))
    #expect(await listed(books) == running)
  }

  @Test("what a later connection says counts, and so do its list and its goodbye")
  func later() async throws {
    let books = try await Books()
    let running = try await running(books)
    try await books.present(worker, session: 1, running: running)
    try await books.present(worker, session: 2, running: [])
    #expect(await listed(books) == [])
    try await books.present(worker, session: 3, running: running)
    #expect(await listed(books) == running)
    try await books.present(worker, session: 4, isGoodbye: true)
    #expect(await !books.bookkeeper.attendance.isWelcome(worker))
  }

  @Test("a lease is not renewed by what an earlier connection said")
  func lease() async throws {
    let books = try await Books()
    try await books.present(worker, session: 2, at: .zero)
    // Of five seconds.
    for second in 1...6 {
      if second < 5 { try await books.present(worker, session: 1, at: .seconds(second)) }
      try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false)
    }
    #expect(await !books.bookkeeper.attendance.isWelcome(worker))
  }
}
