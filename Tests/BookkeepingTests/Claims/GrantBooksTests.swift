import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A coordinator was killed between the record of a grant and its answer: the worker never heard that it may run the job.
@Suite("A grant that nobody heard of, in the books of the next coordinator")
struct GrantBooksTests {
  private let worker = WorkerID()
  private let other = WorkerID()

  /// What the worker was granted, and the coordinator that comes after the one that granted it.
  private func granted(attempts: Int = 1) async throws -> (Assignment, Books) {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", maxAttempts: attempts))
    books.bookkeeper.confirmed([assignment.release])
    #expect(try await claim(assignment, by: worker, books) == [.run(token: 2, attempt: 1)])
    return (assignment, try await books.succeeded())
  }

  /// The verdicts on a claim, once all of these have said that they run nothing.
  private func claim(
    _ assignment: Assignment, by claimant: WorkerID, _ books: Books, heard: [WorkerID]? = nil
  ) async throws -> [Verdict] {
    let heard = heard ?? [worker, other]
    for worker in heard { try await books.present(worker) }
    _ = try await books.told()
    try await books.claim(assignment.release, by: claimant)
    let probe = try #require(try await books.told().probes.last)
    for worker in heard { try await books.present(worker, probe: probe) }
    return try await books.returnFences(in: try await books.told()).verdicts
  }

  /// Its lease passes, and the other's.
  private func giveUp(_ books: Books) async throws {
    for worker in [worker, other] { try await books.present(worker) }
    for second in 1...12 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.workers.isEmpty)
  }

  @Test("its worker asks again, and runs it: nothing is lost, no attempt used up, and no death counted")
  func heardAnew() async throws {
    let (assignment, later) = try await granted()
    #expect(try await claim(assignment, by: worker, later) == [.run(token: 3, attempt: 1)])
    // And once more.
    let last = try await later.succeeded()
    #expect(try await claim(assignment, by: worker, last) == [.run(token: 4, attempt: 1)])
    #expect(await last.bookkeeper.released[assignment.job]?.progress.deaths == 0)
    #expect(try await last.ledger.read { try $0.attempts(of: assignment.job) }.isEmpty)
  }

  @Test("while that worker is there and has not begun, another one with a copy may run it, too")
  func another() async throws {
    let (assignment, later) = try await granted()
    #expect(try await claim(assignment, by: other, later) == [.run(token: 3, attempt: 1)])
  }

  @Test("its message comes to a worker without a handler instead: it waits for one, as a job that never began")
  func returned() async throws {
    let (assignment, later) = try await granted()
    for worker in [worker, other] { try await later.present(worker) }
    _ = try await later.told()
    try await later.giveBack(assignment.release, by: other)
    let probe = try #require(try await later.told().probes.last)
    for worker in [worker, other] { try await later.present(worker, probe: probe) }
    _ = try await later.returnFences(in: try await later.told())
    let job = try #require(try await later.job(assignment.job))
    #expect((job.progress.state, job.withheld) == (.held, .handler))
    #expect((job.progress.attempt, job.progress.deaths) == (1, 0))
  }

  /// What becomes of a job that was granted and not heard of, when its queue is found empty.
  private func lost(attempts: Int) async throws -> (Job, released: [Assignment]) {
    let (assignment, later) = try await granted(attempts: attempts)
    later.bookkeeper.confirmed([assignment.release])
    for worker in [worker, other] { try await later.present(worker) }
    _ = try await later.told()
    try await later.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    let probe = try #require(try await later.told().probes.last)
    for worker in [worker, other] { try await later.present(worker, probe: probe) }
    let told = try await later.returnFences(in: try await later.told())
    return (try #require(try await later.job(assignment.job)), told.assignments)
  }

  @Test("its message is gone, too: it is released again, as a job that never began; with one attempt it is at its end")
  func lost() async throws {
    let (job, released) = try await lost(attempts: 3)
    #expect(released.map(\.job) == [job.id])
    #expect((job.progress.attempt, job.progress.deaths) == (1, 0), "its worker lives")
    let (once, releasedOnce) = try await lost(attempts: 1)
    #expect(releasedOnce.isEmpty)
    #expect(once.outcome?.failure?.code == "lost", "its report may be gone with it")
  }

  @Test("a grant after a copy was given back: when that is lost, it is not taken for given back")
  func grantedAfterReturn() async throws {
    let (assignment, later) = try await granted()
    for worker in [worker, other] { try await later.present(worker) }
    _ = try await later.told()
    try await later.giveBack(assignment.release, by: other)
    try await later.claim(assignment.release, by: worker)
    var told = try await later.told()
    // The coordinator asks for itself first, and then for the worker.
    while told.verdicts.isEmpty {
      let probe = try #require(told.probes.last)
      for worker in [worker, other] { try await later.present(worker, probe: probe) }
      told = try await later.returnFences(in: try await later.told())
    }
    let job = try #require(await later.bookkeeper.released[assignment.job])
    #expect((job.isReturned, job.isConfirmed) == (false, true))
  }

  /// Found by the simulator: the claim was read after the presence on the worker's next connection.
  @Test(
    "granted by a claim of a connection that has ended, when its message was given back by another one: it never began",
    arguments: [1, 3])
  func grantedByOldClaim(attempts: Int) async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", maxAttempts: attempts))
    books.bookkeeper.confirmed([assignment.release])
    for worker in [worker, other] { try await books.present(worker, session: 2) }
    _ = try await books.told()
    try await books.claim(assignment.release, by: worker)
    let probe = try #require(try await books.told().probes.last)
    try await books.giveBack(assignment.release, by: other)
    for worker in [worker, other] { try await books.present(worker, session: 2, probe: probe) }
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.verdicts == [.run(token: 2, attempt: 1)])
    let granted = try #require(await books.bookkeeper.released[assignment.job])
    #expect((granted.isReturned, granted.isConfirmed) == (true, false))
    // The worker does not believe it: its claim was of the connection before.
    let next = try #require(told.probes.last)
    for worker in [worker, other] { try await books.present(worker, session: 2, probe: next) }
    _ = try await books.returnFences(in: try await books.told())
    let job = try #require(try await books.job(assignment.job))
    #expect((job.progress.state, job.withheld) == (.held, .handler), "until a worker with a handler comes")
    #expect((job.progress.attempt, job.progress.deaths) == (1, 0))
    #expect(try await books.ledger.read { try $0.attempts(of: assignment.job) }.isEmpty)
  }

  @Test("its claim is of a connection that has ended: nothing is granted, and what is gone is released again")
  func reconnected() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", maxAttempts: 1))
    books.bookkeeper.confirmed([assignment.release])
    try await books.present(worker)
    try await books.claim(assignment.release, by: worker)
    try await books.present(worker, session: 2)
    let probe = try #require(try await books.told().probes.last)
    try await books.present(worker, session: 2, probe: probe)
    #expect(try await books.returnFences(in: try await books.told()).verdicts.isEmpty)
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    let next = try #require(try await books.told().probes.last)
    try await books.present(worker, session: 2, probe: next)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job], "although it has one attempt")
  }

  @Test("the worker is gone: nobody knows whether it began")
  func gone() async throws {
    let (assignment, later) = try await granted()
    try await later.present(worker, isGoodbye: true)
    #expect(try await claim(assignment, by: other, later, heard: [other]) == [.drop])
    #expect(try await later.failure(assignment.job) == "lost")
  }

  @Test("the worker was given up, and is back: what it reported meanwhile is not known to have come first")
  func givenUp() async throws {
    let (assignment, later) = try await granted()
    try await giveUp(later)
    let last = try await later.succeeded()
    #expect(try await claim(assignment, by: worker, last) == [.drop])
    #expect(try await last.failure(assignment.job) == "lost")
  }

  @Test("in a new epoch no grant of the ledger's copy is believed to have stayed without a start")
  func epoch() async throws {
    let (assignment, later) = try await granted()
    let epoch = await later.bookkeeper.epoch
    #expect(try await later.bookkeeper.compare(withStreamAt: NotificationPosition(epoch: epoch, seq: 1_000)))
    try await later.restart()
    // What a restore holds comes first, a turn at a time.
    while try await later.lookAtClock(after: .seconds(600)) {}
    #expect(try await claim(assignment, by: worker, later) == [.drop])
    #expect(try await later.failure(assignment.job) == "lost")
  }

  @Test("and its death is one that the job was running at")
  func death() async throws {
    let (assignment, later) = try await granted(attempts: 3)
    #expect(await later.bookkeeper.released[assignment.job]?.run?.worker == worker)
    try await giveUp(later)
    #expect(await later.bookkeeper.released[assignment.job]?.progress.blame == .inCompany)
  }
}
