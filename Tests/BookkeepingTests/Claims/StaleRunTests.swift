import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A worker was given up, its job was granted to another, and it comes back.
@Suite("A run that was given up, in the books")
struct StaleRunTests {
  private let first = WorkerID()
  private let second = WorkerID()
  private let third = WorkerID()

  /// The assignment as the first worker still runs it; the second has a newer token.
  private func granted(_ books: Books) async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    books.bookkeeper.confirmed([assignment.release])
    for worker in [first, second, third] { try await books.present(worker) }
    #expect(try await claim(assignment, by: second, books, stale: false) == [.run(token: 2, attempt: 1)])
    return assignment
  }

  /// Who runs what by the token of the assignment says so in its echo, if it is back.
  private func claim(
    _ assignment: Assignment, by worker: WorkerID, _ books: Books, stale: Bool, without gone: WorkerID? = nil
  ) async throws -> [Verdict] {
    _ = try await books.told()
    try await books.claim(assignment.release, by: worker)
    let asked = try await books.told()
    let probe = try #require(asked.probes.last)
    for other in [first, second, third] where other != gone {
      let running =
        stale && other == first ? [RunningRelease(release: assignment.release, token: assignment.token)] : []
      try await books.present(other, probe: probe, running: running)
    }
    return try await books.returnFences(in: try await books.told()).verdicts
  }

  @Test("keeps nobody else from the job, does not count as its run, and is told to end")
  func presence() async throws {
    let books = try await Books()
    let assignment = try await granted(books)
    let stale = RunningRelease(release: assignment.release, token: assignment.token)
    try await books.present(first, running: [stale])
    #expect(try await books.told().stops == [assignment.release])
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(-60)) == [JobQueue("work")])
    let verdicts = try await claim(assignment, by: third, books, stale: true)
    // The second one is there, and has not begun: the answer to it was lost, and that uses up no attempt.
    #expect(verdicts == [.run(token: 3, attempt: 1)])
  }

  @Test("a death is counted when the worker of the last grant is gone, or was seen to run it")
  func gone() async throws {
    let books = try await Books()
    let assignment = try await granted(books)
    try await books.present(second, running: [RunningRelease(release: assignment.release, token: 2)])
    #expect(try await claim(assignment, by: third, books, stale: false) == [.run(token: 3, attempt: 1)])
    try await books.present(third, isGoodbye: true)
    // It was running at two: it is released anew, alone.
    #expect(try await claim(assignment, by: first, books, stale: false, without: third) == [.drop])
    #expect(await books.bookkeeper.released[assignment.job]?.progress.deaths == 2)
    #expect(await books.bookkeeper.releasedSuspects == [assignment.job])
  }

  @Test("and what the present run lists keeps the job")
  func present() async throws {
    let books = try await Books()
    let assignment = try await granted(books)
    try await books.present(second, running: [RunningRelease(release: assignment.release, token: 2)])
    #expect(try await books.told().stops.isEmpty)
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(-60)).isEmpty)
  }

  @Test("when it reports, the job is claimed: the last message may have been acked with the report")
  func report() async throws {
    let books = try await Books()
    let assignment = try await granted(books)
    _ = try await books.told()
    try await books.succeed(assignment)
    let probe = try #require(try await books.told().probes.last)
    for worker in [first, second, third] { try await books.present(worker, probe: probe) }
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
  }

  @Test("a number that the ledger never gave ends the session, and the next one begins an epoch, once")
  func behind() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let epoch = await books.bookkeeper.epoch
    var ahead = assignment
    ahead.token += 1
    let reports = [books.report(assignment, .done), books.report(ahead, .done)]
    #expect(await !books.bookkeeper.isBehind([reports[0]]))
    #expect(try await !books.bookkeeper.compare(withStreamAt: nil))
    #expect(await books.bookkeeper.isBehind(reports))
    #expect(try await books.bookkeeper.compare(withStreamAt: nil))
    #expect(await books.bookkeeper.epoch == epoch + 1)
    #expect(await !books.bookkeeper.isBehind(reports))
    #expect(try await !books.bookkeeper.compare(withStreamAt: nil))
  }

  @Test("a number of a much later epoch begins one that is above it at once: the session after that goes on")
  func farBehind() async throws {
    let books = try await Books()
    var ahead = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let epoch = await books.bookkeeper.epoch
    ahead.token = JobProgress.lastNumber(before: epoch + 3) + 1
    let reports = [books.report(ahead, .done)]
    #expect(await books.bookkeeper.isBehind(reports))
    #expect(try await books.bookkeeper.compare(withStreamAt: nil))
    #expect(await books.bookkeeper.epoch == epoch + 4)
    #expect(await !books.bookkeeper.isBehind(reports))
  }

  @Test("a number of no epoch that a ledger can come to begins none")
  func impossible() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    for number in [Int.max, 1 << 34 + 1] {
      let running = RunningRelease(release: assignment.release, token: number)
      let presence = Presence(
        worker: first, session: 1, name: "w", tellers: ["work": 1], ledger: books.ledger.id, probe: 0,
        running: [running])
      #expect(await !books.bookkeeper.isBehind([PresenceMessage.presence(presence)]))
      #expect(try await !books.bookkeeper.compare(withStreamAt: nil))
    }
  }
}
