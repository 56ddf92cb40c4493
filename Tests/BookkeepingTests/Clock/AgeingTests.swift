import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Releases that have waited for long")
struct AgeingTests {
  private let worker = WorkerID()
  /// A little more than a level is worth.
  private let level = Standing.levelWorth + .seconds(1)

  private func waiting(_ books: Books, _ priority: Priority = 0, for time: Duration = .zero) async throws -> Assignment
  {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", priority: priority))
    books.bookkeeper.confirmed([assignment.release])
    await books.bookkeeper.backdate(assignment.job, by: time)
    return assignment
  }

  /// A look at what waits, with all that follows from it; what was released anew.
  private func age(_ books: Books) async throws -> [Assignment] {
    try await books.bookkeeper.ageReleases(at: books.now)
    let asked = try await books.told()
    #expect(asked.voidChanges.flatMap(\.ended).isEmpty)
    guard let probe = asked.probes.last else { return [] }
    try await books.present(worker, probe: probe)
    let again = try await books.returnFences(in: try await books.told()).assignments
    books.bookkeeper.confirmed(again.map(\.release))
    return again
  }

  @Test("one that a later one goes before is released anew at the level that it has earned, as the same attempt")
  func ages() async throws {
    let books = try await Books()
    try await books.present(worker)
    let low = try await waiting(books, for: level)
    _ = try await waiting(books, 1)
    _ = try await waiting(books, 8)
    let again = try await age(books)
    #expect(again.map(\.job) == [low.job])
    #expect(again.map(\.priority) == [1], "one of priority 8 goes first")
    #expect(again.map(\.attempt) == [1])
    #expect(again.map(\.release) != [low.release])
    #expect(await Set(books.bookkeeper.voidPlaces.keys) == [low.release])
  }

  @Test("one that goes before whatever came later stays: its message would be left behind for nothing")
  func first() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await waiting(books, 4, for: level * 9)
    _ = try await waiting(books, 0, for: level)
    _ = try await waiting(books, 4)
    #expect(try await age(books).isEmpty)
  }

  @Test("one that would pass nobody on the level that it has earned stays: it is not its time yet")
  func outOfReach() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await waiting(books, 0, for: level * 2)
    _ = try await waiting(books, 3)
    #expect(try await age(books).isEmpty)
  }

  @Test("many that have earned a level leave nothing behind, and do not go before a new one of a much higher priority")
  func manyBehindUrgent() async throws {
    let books = try await Books()
    try await books.present(worker)
    for _ in 0..<10 { _ = try await waiting(books, 4, for: level) }
    let urgent = try await waiting(books, 8)
    #expect(urgent.priority == 8)
    #expect(try await age(books).isEmpty)
    #expect(await books.bookkeeper.voidPlaces.isEmpty)
  }

  @Test("however long one waits, it leaves no more messages behind than there are levels above it")
  func bounded() async throws {
    let books = try await Books(window: 100)
    try await books.present(worker)
    let low = try await waiting(books, 5)
    for priority in [6, 7, 8, 9] as [Priority] { _ = try await waiting(books, priority) }
    var levels: [Priority] = []
    for _ in 0..<12 {
      await books.bookkeeper.backdate(low.job, by: level)
      levels += try await age(books).map(\.priority)
    }
    #expect(levels == [6, 7, 8, 9])
    #expect(await books.bookkeeper.voidPlaces.count == levels.count)
  }

  @Test("one that was released anew a moment ago is left alone until it has waited for a level more")
  func justMoved() async throws {
    let books = try await Books()
    try await books.present(worker)
    let low = try await waiting(books, for: level)
    _ = try await waiting(books, 1)
    #expect(try await age(books).count == 1)
    await books.bookkeeper.earn(low.job, level)
    _ = try await waiting(books, 2)
    #expect(try await age(books).isEmpty)
  }

  /// Of two workers only one has a handler for `loan`, so that its jobs have a queue of their own.
  private func presentBoth(_ books: Books, probe: Int = 0) async throws {
    try await books.present(worker, kinds: ["deposit", "loan"], probe: probe)
    try await books.present(WorkerID("other"), kinds: ["deposit"], probe: probe)
  }

  private func loan(_ books: Books, _ priority: Priority, for time: Duration = .zero) async throws -> Assignment {
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", priority: priority))
    #expect(loan.isBeside)
    books.bookkeeper.confirmed([loan.release])
    await books.bookkeeper.backdate(loan.job, by: time)
    return loan
  }

  @Test("what lies in another queue goes before nobody")
  func otherQueue() async throws {
    let books = try await Books()
    try await presentBoth(books)
    let low = try await loan(books, 0, for: level)
    _ = try await books.release(Submission(id: JobID(), kind: "deposit", priority: 1))
    try await books.bookkeeper.ageReleases(at: books.now)
    #expect(try await books.told().void.isEmpty)
    _ = try await loan(books, 1)
    try await books.bookkeeper.ageReleases(at: books.now)
    #expect(try await books.told().void == [low.release])
  }

  @Test("in the queue of a kind they leave behind what its part of the window has room for, and one more")
  func besideInParts() async throws {
    let books = try await Books()
    try await presentBoth(books)
    for _ in 0..<6 { _ = try await loan(books, 4, for: level * 5) }
    _ = try await loan(books, 9)
    let queue = JobQueue("work", kind: "loan")
    var moved = 0
    for _ in 0..<8 {
      try await books.bookkeeper.ageReleases(at: books.now)
      let asked = try await books.told()
      guard let probe = asked.probes.max() else { break }
      try await presentBoth(books, probe: probe)
      let again = try await books.returnFences(in: try await books.told()).assignments
      books.bookkeeper.confirmed(again.map(\.release))
      moved += again.count
      #expect(await books.bookkeeper.places(beside: queue) <= books.bookkeeper.limit(beside: queue) + 1)
    }
    #expect(moved >= 1 && moved < 6)
  }

  @Test("one that nobody serves, one that runs, and one of a paused department stay as they are")
  func stays() async throws {
    let books = try await Books()
    let assignment = try await waiting(books, for: level * 9)
    _ = try await waiting(books, 9)
    try await books.bookkeeper.ageReleases(at: books.now)
    let running = RunningRelease(release: assignment.release, token: assignment.token)
    try await books.present(worker, running: [running])
    try await books.bookkeeper.ageReleases(at: books.now)
    _ = try await waiting(books, for: level * 9)
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.bookkeeper.ageReleases(at: books.now)
    #expect(try await books.told().void.isEmpty)
  }
}

extension Bookkeeper {
  /// As if the job had been accepted and released that much earlier.
  fileprivate func backdate(_ job: JobID, by time: Duration) {
    guard let live = released[job] else { return }
    parts.releases[job]?.releasedAt = live.releasedAt - time
    earn(job, time)
  }

  /// As if it had been accepted that much earlier.
  fileprivate func earn(_ job: JobID, _ time: Duration) {
    parts.releases[job]?.standing.value -= time.milliseconds
  }
}
