import Decisions
import JobModel
import JobTransport
import Ledger
import Logging
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The bookkeeper")
struct BookkeeperTests {
  private let reply = ReplyAddress(replyTo: "teller.reply.test", correlationID: "c", wait: .outcome)
  private let done = AttemptResult.succeeded(result: [1], contentType: nil)
  private let broken = AttemptResult.failed(JobFailure(code: "broken", message: "it broke"), isPermanent: false)

  @Test("a submission that came twice is one job, and both are answered")
  func submittedTwice() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let submission = Submission(id: JobID(), kind: "deposit", reply: reply)
    try await books.accept(submission, submission)
    let told = try await books.told()
    #expect(told.assignments.count == 1)
    #expect(told.replies == [.accepted, .duplicate])
  }

  @Test("a report records the outcome, and a second one changes nothing")
  func reportedTwice() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let submission = Submission(id: JobID(), kind: "deposit", reply: reply)
    try await books.accept(submission)
    let assignment = try #require(try await books.told().assignments.first)
    _ = try await books.bookkeeper.record([books.report(assignment, done)])
    _ = try await books.bookkeeper.record([books.report(assignment, broken)])
    let replies = try await books.told().replies
    #expect(replies == [.outcome(.succeeded(result: [1], contentType: nil))])
    #expect(try await books.job(submission.id)?.progress.state == .succeeded)
    #expect(await books.bookkeeper.ignoredReports == 1)
  }

  @Test("a failed attempt is released again as a new message, until the attempts are used up")
  func failsAndIsReleasedAgain() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let submission = Submission(id: JobID(), kind: "deposit")
    try await books.accept(submission)
    let first = try #require(try await books.told().assignments.first)
    _ = try await books.bookkeeper.record([books.report(first, broken)])
    let second = try #require(try await books.told().assignments.first)
    #expect(second.release != first.release)
    #expect(second.attempt == 2)
    _ = try await books.bookkeeper.record([books.report(first, done)])
    #expect(try await books.job(submission.id)?.progress.state == .queued)
    _ = try await books.bookkeeper.record([books.report(second, broken)])
    #expect(try await books.job(submission.id)?.outcome?.failure?.code == "broken")
  }

  @Test("what the window has no room for is held, and released as places come back")
  func fillsTheWindow() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder, window: 2)
    for _ in 0..<6 { try await books.accept(Submission(id: JobID(), kind: "deposit")) }
    let released = try await books.told().assignments
    #expect(released.count == 3)  // two, and one in the level's reserve
    _ = try await books.bookkeeper.record(released.map { books.report($0, done) })
    #expect(try await books.told().assignments.count == 3)
  }

  @Test("a restarted coordinator publishes what is not known to be in its queue again, to be claimed")
  func publishesAgain() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    try await books.accept(Submission(id: JobID(), kind: "deposit"), Submission(id: JobID(), kind: "deposit"))
    let released = try await books.told().assignments
    books.bookkeeper.confirmed([released[0].release])
    try await books.bookkeeper.recordMarks()
    try await books.restart()
    _ = try await books.bookkeeper.doChores()
    let again = try await books.told().assignments
    #expect(again.map(\.release) == [released[1].release])
    #expect(again.map(\.mustClaim) == [true])
  }

  @Test("after a turn that could not be recorded nothing is decided until the ledger is read anew")
  func refusesOnAheadMemory() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    await #expect(throws: LedgerError.self) {
      try await books.bookkeeper.turn { _ in throw LedgerError.full(path: "a disk") }
    }
    await #expect(throws: LedgerError.full(path: "a disk")) {
      try await books.accept(Submission(id: JobID(), kind: "deposit"))
    }
    await #expect(throws: LedgerError.self) { try await books.bookkeeper.nextNotifications(atMost: 1) }
    try await books.bookkeeper.reload()
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    #expect(try await books.told().assignments.count == 1)
  }

  @Test("a department that becomes an ordered one goes on with what it held, in the order of acceptance")
  func becomesOrdered() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder, window: 1)
    let jobs = (0..<5).map { _ in Submission(id: JobID(), kind: "deposit") }
    for job in jobs { try await books.accept(job) }
    let released = try await books.told().assignments
    var configuration = await books.bookkeeper.configuration
    configuration.departments["work"] = .init(isOrdered: true)
    let again = Bookkeeper(
      ledger: books.ledger, configuration: configuration, logger: Logger(label: "test"), clock: books.clock.read,
      chance: .any)
    try await again.reload()
    try await again.openSession(SessionSignals(outbox: books.outbox), at: .zero)
    var order: [JobID] = []
    var next = released
    while !next.isEmpty {
      order += next.map(\.job)
      _ = try await books.told()
      _ = try await again.record(next.map { books.report($0, done) })
      next = try await books.told().assignments
    }
    #expect(order == jobs.map(\.id))
  }

  @Test("an unknown department is rejected, and says which there are")
  func unknownDepartment() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let submission = Submission(id: JobID(), kind: "juggle", reply: reply)
    #expect(try await books.bookkeeper.accept([Incoming(.job(submission))]).isEmpty)
    guard case .rejected(let failure)? = try await books.told().replies.first else {
      Issue.record("not rejected")
      return
    }
    #expect(failure.code == "unknown_department")
    #expect(failure.message.contains("init, work"))
  }

  @Test("a rejection that nobody can be told of is parked")
  func parked() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let submission = Submission(id: JobID(), kind: "juggle")
    let parked = try await books.bookkeeper.accept([Incoming(.job(submission))])
    #expect(parked.count == 1)
  }

  @Test("a report for another ledger is refused")
  func otherLedger() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    var assignment = try #require(try await books.told().assignments.first)
    assignment.ledger = LedgerID("another")
    guard case .report(var report) = books.report(assignment, done) else { return }
    report.ledger = LedgerID("another")
    let refusals = try await books.bookkeeper.record([.report(report)])
    #expect(refusals.map(\.failure.code) == ["other_ledger"])
  }

  @Test("large held jobs are released in turns of a limited size, and the small ones among them in their place")
  func largeJobs() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let large = [UInt8](repeating: 1, count: ReleaseBudget.bytes / 2)
    let jobs = (0..<5).map { index in
      Submission(id: JobID(), kind: "deposit", payload: index == 1 ? [1] : large)
    }
    try await books.accept(jobs)
    _ = try await books.bookkeeper.setPaused("work", false)
    #expect(try await books.told().assignments.map(\.job) == jobs.prefix(3).map(\.id))
    try await books.bookkeeper.fillMore()
    #expect(try await books.told().assignments.map(\.job) == jobs.suffix(2).map(\.id))
  }

  @Test("what is asked and told of another ledger's releases is passed over; only its claims are answered")
  func questionsOfOtherLedger() async throws {
    let books = try await Books(in: try TemporaryFolder())
    let (worker, other) = (WorkerID(), LedgerID("another"))
    let release = ReleaseID(job: JobID(), number: 1)
    let refusals = try await books.bookkeeper.record([
      .adopt(AdoptionRequest(release: release, token: 1, ledger: other, worker: worker)),
      .dropped(UnstartedRelease(release: release, ledger: other, worker: worker)),
      .claims([ClaimRequest(release: release, ledger: other, worker: worker, number: 1)]),
    ])
    #expect(refusals.isEmpty)
    #expect(await books.bookkeeper.strangers == [other])
    let told = try await books.told()
    #expect(told.adopted.isEmpty)
    #expect(told.count == 1, "the claim's answer: \(told)")
  }
}
