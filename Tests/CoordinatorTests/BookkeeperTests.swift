import AMQP
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging
import TestSupport
import Testing

@testable import Coordinator

/// A bookkeeper on a real ledger, with what it decides to tell in the test's hands.
struct Books {
  let bookkeeper: Bookkeeper
  let ledger: Ledger
  let outbox = Outbox()

  init(in folder: TemporaryFolder, window: Int = 10) async throws {
    ledger = try Ledger(path: folder.url.appendingPathComponent("teller.ledger").path)
    let configuration = CoordinatorConfiguration(
      departments: ["work": .init(window: window), "init": .init(isOrdered: true)],
      kinds: ["deposit": .init(department: "work", attempts: 2)], lease: .seconds(5))
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    bookkeeper = Bookkeeper(ledger: ledger, configuration: configuration, logger: logger)
    try await bookkeeper.reload()
    try await bookkeeper.beginSession(SessionSignals(outbox: outbox), at: .zero)
  }

  /// What has been decided since the last call.
  func told() async throws -> [Outgoing] {
    outbox.append([.live(Books.mark)])
    return try #require(await outbox.take()).filter { if case .live = $0 { false } else { true } }
  }

  private static let mark = Notification(
    seq: nil, job: JobID(), kind: "mark", department: "work", event: "mark", attempt: 0, at: .now())

  func accept(_ submissions: Submission...) async throws {
    let incoming = submissions.map { Incoming(content: .job($0), original: .empty) }
    #expect(try await bookkeeper.accept(incoming).isEmpty)
  }

  func report(_ assignment: Assignment, _ result: AttemptResult, by worker: WorkerID = WorkerID()) -> ReportMessage {
    .report(
      Report(
        release: assignment.release, token: assignment.token, ledger: ledger.id, worker: worker, kind: assignment.kind,
        department: assignment.department, attempt: assignment.attempt, startedAgo: .milliseconds(20),
        ran: .milliseconds(10), result: result))
  }

  func job(_ id: JobID) async throws -> Job? { try await ledger.read { try $0.job(id) } }
}

extension Delivery {
  static let empty = Delivery(
    consumerTag: "", deliveryTag: 1, isRedelivered: false, exchange: "", routingKey: "",
    properties: MessageProperties(), body: .bytes([]))
}

extension [Outgoing] {
  var assignments: [Assignment] {
    compactMap { if case .assignment(let assignment) = $0 { assignment } else { nil } }
  }
  var replies: [Reply.Content] {
    compactMap { if case .reply(_, let reply) = $0 { reply.content } else { nil } }
  }
}

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
    await books.bookkeeper.confirmed([released[0].release])
    try await books.bookkeeper.recordMarks()
    try await books.bookkeeper.reload()
    try await books.bookkeeper.beginSession(SessionSignals(outbox: books.outbox), at: .zero)
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
      try await books.bookkeeper.turn { _, _ in throw LedgerError.full(path: "a disk") }
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
    let again = Bookkeeper(ledger: books.ledger, configuration: configuration, logger: Logger(label: "test"))
    try await again.reload()
    try await again.beginSession(SessionSignals(outbox: books.outbox), at: .zero)
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
    #expect(try await books.bookkeeper.accept([Incoming(content: .job(submission), original: .empty)]).isEmpty)
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
    let parked = try await books.bookkeeper.accept([Incoming(content: .job(submission), original: .empty)])
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
}

@Suite("A plan in the books")
struct PlanBooksTests {
  private let done = AttemptResult.succeeded(result: [], contentType: nil)

  private func plan(_ names: [(String, Int)]) -> PlanSubmission {
    PlanSubmission(
      id: JobID(), department: "init", steps: names.map { PlanStep(name: $0.0, kind: "step", rank: $0.1) },
      reply: ReplyAddress(replyTo: "teller.reply.test", correlationID: "p", wait: .outcome))
  }

  @Test("its steps are released by rank, each after the outcome of the one before it")
  func byRank() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let plan = plan([("third", 3), ("first", 1), ("second", 2)])
    _ = try await books.bookkeeper.accept([Incoming(content: .plan(plan), original: .empty)])
    var order: [JobID] = []
    var told = try await books.told()
    while let assignment = told.assignments.first {
      #expect(told.assignments.count == 1)
      order.append(assignment.job)
      _ = try await books.bookkeeper.record([books.report(assignment, done)])
      told = try await books.told()
    }
    #expect(order == ["first", "second", "third"].map { JobID(plan: plan.id, step: $0) })
    #expect(told.replies == [.outcome(.succeeded(result: [], contentType: nil))])
  }

  @Test("a step that fails for good cancels the rest, and the plan fails with its reason")
  func shuts() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let plan = plan([("first", 1), ("second", 2)])
    _ = try await books.bookkeeper.accept([Incoming(content: .plan(plan), original: .empty)])
    let assignment = try #require(try await books.told().assignments.first)
    let failure = JobFailure(code: "offline", message: "no network")
    _ = try await books.bookkeeper.record([books.report(assignment, .failed(failure, isPermanent: true))])
    let second = try await books.job(JobID(plan: plan.id, step: "second"))
    #expect(second?.progress.state == .cancelled)
    guard case .outcome(.failed(let reason))? = try await books.told().replies.last else {
      Issue.record("the plan has no failed outcome")
      return
    }
    #expect(reason.code == "offline")
  }

  @Test("a job with a rank joins the open plan, and one without follows it")
  func joins() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let plan = plan([("first", 1), ("third", 3)])
    let joining = Submission(id: JobID(), kind: "step", department: "init", rank: 2)
    let following = Submission(id: JobID(), kind: "step", department: "init")
    _ = try await books.bookkeeper.accept([
      Incoming(content: .plan(plan), original: .empty), Incoming(content: .job(following), original: .empty),
      Incoming(content: .job(joining), original: .empty),
    ])
    var order: [JobID] = []
    while let assignment = try await books.told().assignments.first {
      order.append(assignment.job)
      _ = try await books.bookkeeper.record([books.report(assignment, done)])
    }
    let steps = ["first", "third"].map { JobID(plan: plan.id, step: $0) }
    #expect(order == [steps[0], joining.id, steps[1], following.id])
  }
}
