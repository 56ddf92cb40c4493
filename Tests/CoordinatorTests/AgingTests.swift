import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("Releases that have waited for long")
struct AgingTests {
  private let worker = WorkerID()
  private let later = Timestamp.now() + .seconds(7_200)

  private func waiting(_ books: Books) async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", priority: 0))
    await books.bookkeeper.confirmed([assignment.release])
    return assignment
  }

  @Test("one that somebody serves is released anew with a higher priority, as the same attempt")
  func ages() async throws {
    let books = try await Books()
    try await books.present(worker)
    let assignment = try await waiting(books)
    _ = try await books.told()
    try await books.bookkeeper.ageReleases(at: later)
    let asked = try await books.told()
    #expect(asked.void == [assignment.release])
    #expect(asked.voidChanges.flatMap(\.ended).isEmpty)
    try await books.present(worker, probe: try #require(asked.probes.last))
    let again = try #require(try await books.returnFences(in: try await books.told()).assignments.first)
    #expect(again.job == assignment.job)
    #expect(again.attempt == 1)
    #expect(again.release != assignment.release)
    #expect(await books.bookkeeper.voidPlaces.keys.contains(assignment.release))
  }

  @Test("one that nobody serves, one that runs, and one of a paused department stay as they are")
  func stays() async throws {
    let books = try await Books()
    let assignment = try await waiting(books)
    try await books.bookkeeper.ageReleases(at: later)
    let running = RunningRelease(release: assignment.release, token: assignment.token)
    try await books.present(worker, running: [running])
    try await books.bookkeeper.ageReleases(at: later)
    _ = try await waiting(books)
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.bookkeeper.ageReleases(at: later)
    #expect(try await books.told().void.isEmpty)
  }
}
