import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator

@Suite("The connections of a worker, one after the other")
struct PresenceSessionTests {
  private let worker = WorkerID()

  private func running(_ books: Books) async throws -> [RunningRelease] {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    return [RunningRelease(release: assignment.release, token: assignment.token)]
  }

  private func listed(_ books: Books) async -> [RunningRelease]? {
    await books.bookkeeper.workers[worker]?.running
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
    #expect(await books.bookkeeper.isWelcome(worker))
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
    #expect(await !books.bookkeeper.isWelcome(worker))
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
    #expect(await !books.bookkeeper.isWelcome(worker))
  }

  /// The time goes by as the timekeeper has it, of a coordinator that heard its own message last at `heard`.
  private func pass(_ books: Books, _ seconds: ClosedRange<Int>, heard: Int?) async throws {
    for second in seconds {
      let now = Duration.seconds(second)
      var signs = SignsOfLife()
      signs.renew(HealthPart.hearing, at: heard.map { .seconds($0) } ?? now)
      let isDeaf = await books.bookkeeper.isDeaf(signs, at: now)
      try await books.bookkeeper.tick(at: now, isBlocked: isDeaf)
    }
  }

  @Test("while the coordinator does not even hear itself, no lease passes; when it does again, all begin anew")
  func deaf() async throws {
    let books = try await Books()
    #expect(await books.bookkeeper.isDeaf(SignsOfLife(), at: .zero), "at first it has heard nothing")
    try await books.present(worker, at: .zero)
    try await pass(books, 1...12, heard: 0)
    #expect(await books.bookkeeper.isWelcome(worker))
    try await pass(books, 13...17, heard: nil)
    #expect(await books.bookkeeper.isWelcome(worker))
    try await pass(books, 18...18, heard: nil)
    #expect(await !books.bookkeeper.isWelcome(worker))
  }
}
