import AMQP
import Decisions
import GRDB
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("A message of the early queue, in the books")
struct EarlyMessagesTests {
  private let reply = ReplyAddress(replyTo: "teller.reply.test", correlationID: "c", wait: .outcome)

  private func submission(_ kind: JobKind = "deposit") -> Submission {
    Submission(id: JobID(), kind: kind, reply: reply)
  }

  private func acceptEarly(_ submission: Submission, _ books: Books) async throws {
    try await books.bookkeeper.acceptEarly([Incoming(.job(submission))])
  }

  private func recordEarly(_ report: ReportMessage, _ books: Books) async throws {
    try await books.bookkeeper.recordEarly([report], from: [nil])
  }

  @Test("accepts the job and answers at once; the durable submission is answered as one that comes twice")
  func accepted() async throws {
    let books = try await Books()
    let submission = submission()
    try await acceptEarly(submission, books)
    let told = try await books.told()
    #expect(told.assignments.map(\.job) == [submission.id] && told.replies == [.accepted])
    #expect(!told.contains { if case .acceptance = $0 { true } else { false } }, "it waits for no outcome")
    try await books.accept(submission)
    let again = try await books.told()
    #expect(again.replies == [.duplicate] && again.assignments.isEmpty)
  }

  @Test(
    "of a submission whose answer went elsewhere is no reason to leave the same one from another address unanswered")
  func another() async throws {
    let books = try await Books()
    var submission = submission()
    try await acceptEarly(submission, books)
    let assignment = try #require(try await books.told().assignments.first)
    submission.reply = ReplyAddress(replyTo: "teller.reply.another", correlationID: "c", wait: .outcome)
    try await books.accept(submission)
    #expect(try await books.told().replies == [.duplicate])
    try await books.record(books.report(assignment, .done))
    let end = try await books.told()
    #expect(end.replies.count == 2, "both addresses hear of the outcome")
  }

  @Test("whose turn could not be recorded has done nothing: the durable message counts", arguments: [false, true])
  func failing(isReport: Bool) async throws {
    let books = try await Books()
    let submission = submission()
    let assignment = isReport ? try await books.release(submission) : nil
    try await books.failTurns(true)
    await #expect(throws: LedgerError.self) {
      if let assignment {
        try await recordEarly(books.report(assignment, .done), books)
      } else {
        try await acceptEarly(submission, books)
      }
    }
    await #expect(throws: LedgerError.self, "the memory is ahead of the ledger") {
      if let assignment {
        try await books.record(books.report(assignment, .done))
      } else {
        try await books.accept(submission)
      }
    }
    try await books.failTurns(false)
    try await books.bookkeeper.reload()
    if let assignment {
      try await books.record(books.report(assignment, .done))
    } else {
      try await books.accept(submission)
    }
    #expect(try await books.state(submission.id) == (isReport ? .succeeded : .queued))
  }

  @Test("says nothing of a submission that is known, by its durable message or after a restart")
  func known() async throws {
    let books = try await Books()
    let submission = submission()
    try await books.accept(submission)
    _ = try await books.told()
    try await acceptEarly(submission, books)
    #expect(try await books.told().isEmpty)
    try await books.restart()
    _ = try await books.told()
    try await acceptEarly(submission, books)
    #expect(try await books.told().replies.isEmpty)
  }

  @Test("leaves what is to be refused, or has a key, a rank or a job to wait for, to the durable submission")
  func left() async throws {
    let books = try await Books().succeeded {
      $0.access = Access(users: ["shop": .init(role: .producer, departments: ["init"])], coordinator: "boss")
    }
    var (keyed, ranked, dependent, silent) = (submission(), submission("step"), submission(), submission())
    keyed.key = SubmissionKey(text: "a", window: .seconds(10))
    ranked.rank = 1
    dependent.after = Dependencies(jobs: [JobID()])
    silent.reply = nil
    let unknown = submission("unheard")
    for submission in [keyed, ranked, dependent, silent, unknown] { try await acceptEarly(submission, books) }
    try await books.bookkeeper.acceptEarly([Incoming(.job(submission()), from: "shop")])
    try await books.bookkeeper.acceptEarly([
      Incoming(.rejected(Rejection(JobFailure(code: "c", message: "m"), reply: reply, messageID: "m")))
    ])
    #expect(try await books.told().isEmpty)
    #expect(await books.bookkeeper.notAllowed == 0)
  }

  @Test("is not remembered across a reload: the ledger says what it has")
  func reloaded() async throws {
    let books = try await Books()
    let submission = submission()
    let report = books.report(try await books.release(submission), .done)
    try await recordEarly(report, books)
    try await books.bookkeeper.reload()
    try await books.record(report)
    #expect(await books.bookkeeper.ignoredReports == 1)
    #expect(try await books.state(submission.id) == .succeeded)
  }

  @Test("ends the job, and the durable report is passed over; a third one counts as ignored")
  func recorded() async throws {
    let books = try await Books()
    let submission = submission()
    let assignment = try await books.release(submission)
    let report = books.report(assignment, .done)
    try await recordEarly(report, books)
    let told = try await books.told()
    #expect(told.replies == [.outcome(.succeeded(result: [1], contentType: nil))])
    #expect(told.recorded == [assignment.release])
    #expect(try await books.state(submission.id) == .succeeded)
    try await books.record(report)
    #expect(try await books.told().isEmpty)
    #expect(await books.bookkeeper.ignoredReports == 0)
    try await books.record(report)
    #expect(await books.bookkeeper.ignoredReports == 1)
  }

  @Test("of a failed attempt releases the job again once")
  func failed() async throws {
    let books = try await Books()
    let submission = submission()
    let first = try await books.release(submission)
    let report = books.report(first, .broken)
    try await recordEarly(report, books)
    let second = try #require(try await books.told().assignments.first)
    #expect(second.attempt == 2)
    try await books.record(report, books.report(second, .done))
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await books.state(submission.id) == .succeeded)
    #expect(await books.bookkeeper.ignoredReports == 0)
  }

  @Test("of an older token, another ledger or another user's worker is left to the durable report")
  func stale() async throws {
    let books = try await Books()
    let submission = submission()
    let assignment = try await books.release(submission)
    try await books.takeOver { $0.access = Access(users: ["w": .init(role: .worker)], coordinator: "boss") }
    var (older, foreign) = (assignment, assignment)
    older.token += 1
    foreign.release = ReleaseID(job: assignment.job, number: assignment.release.number + 1)
    for assignment in [older, foreign] {
      try await books.bookkeeper.recordEarly([books.report(assignment, .done)], from: ["w"])
    }
    try await books.bookkeeper.recordEarly([books.report(assignment, .done)], from: [nil])
    #expect(try await books.state(submission.id) == .queued)
    #expect(await books.bookkeeper.notAllowed == 0)
    try await books.bookkeeper.recordEarly([books.report(assignment, .done)], from: ["w"])
    #expect(try await books.state(submission.id) == .succeeded)
  }

  @Test("is remembered among so many others, and each is taken once")
  func recent() {
    var recent = RecentOnes<Int>()
    for number in 0...RecentOnes<Int>.limit { recent.note(number) }
    #expect(!recent.take(0) && recent.take(1) && !recent.take(1))
    recent.note(1)
    recent.note(1)
    #expect(recent.take(1) && !recent.take(1) && recent.take(RecentOnes<Int>.limit))
  }
}

extension Books {
  /// Has every turn fail at its end, as on a full disk.
  fileprivate func failTurns(_ fail: Bool) async throws {
    let sql =
      fail
      ? "CREATE TRIGGER failing BEFORE UPDATE OF turn ON ledger BEGIN SELECT RAISE(ABORT, 'full'); END"
      : "DROP TRIGGER failing"
    try await ledger.pool.write { try $0.execute(sql: sql) }
  }
}
