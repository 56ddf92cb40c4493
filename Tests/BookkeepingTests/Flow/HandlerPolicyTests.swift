import JobModel
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// `plain` is a kind of which the configuration says nothing.
@Suite("What a handler says of how its jobs are tried")
struct HandlerPolicyTests {
  private let hint = RetryHint(attempts: 5, wait: .seconds(50))

  private func submission() -> Submission { Submission(id: JobID(), kind: "plain", department: "work") }

  @Test("its attempts and its wait count where neither the submission nor the file says any")
  func unsaid() async throws {
    let books = try await Books()
    var assignment = try await books.release(submission())
    #expect(assignment.maxAttempts == nil)
    for attempt in 1...4 {
      #expect(assignment.attempt == attempt)
      let earliest = await books.bookkeeper.now
      try await books.record(books.report(assignment, .broken, hint: hint))
      try await books.bookkeeper.lookAtClock(earliest + .milliseconds(49_999))
      #expect(try await books.told().assignments.isEmpty)
      try await books.lookAtClock(after: .seconds(51))
      assignment = try #require(try await books.told().assignments.first)
      #expect(assignment.maxAttempts == 5)
    }
    try await books.record(books.report(assignment, .broken, hint: hint))
    #expect(try await books.failure(assignment.job) == "broken")
  }

  @Test("the file's attempts and waits go before it, and so do the submission's attempts")
  func said() async throws {
    let books = try await Books()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    #expect(loan.maxAttempts == 3)
    let earliest = await books.bookkeeper.now
    try await books.record(books.report(loan, .broken, hint: hint))
    try await books.bookkeeper.lookAtClock(earliest + .milliseconds(599_999))
    #expect(try await books.told().assignments.isEmpty)
    var once = submission()
    once.maxAttempts = 1
    let assignment = try await books.release(once)
    try await books.record(books.report(assignment, .broken, hint: hint))
    #expect(try await books.failure(once.id) == "broken")
  }

  @Test("the file's waits do not shorten the time that a handler wants at least", arguments: [5, 3_600])
  func atLeast(seconds: Int) async throws {
    let books = try await Books()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    let earliest = await books.bookkeeper.now
    try await books.record(books.report(loan, .broken, hint: RetryHint(atLeast: .seconds(seconds))))
    try await books.bookkeeper.lookAtClock(earliest + .seconds(max(600, seconds)) - .milliseconds(1))
    #expect(try await books.told().assignments.isEmpty)
    try await books.lookAtClock(after: .seconds(max(600, seconds) + 1))
    #expect(try await books.told().assignments.first?.attempt == 2)
  }

  @Test("a failed attempt may pause its department, which then is paused after a restart, too")
  func pausing() async throws {
    let books = try await Books()
    let assignment = try await books.release(submission())
    try await books.record(books.report(assignment, .broken, hint: RetryHint(pausesDepartment: true)))
    #expect(try await books.bookkeeper.setPaused("work", true).isNew == false)
    let later = try await books.succeeded()
    try await later.lookAtClock(after: .seconds(700))
    #expect(try await later.told().assignments.isEmpty)
    _ = try await later.bookkeeper.setPaused("work", false)
    #expect(try await later.told().assignments.first?.attempt == 2)
  }

  @Test("a report that does not count pauses nothing")
  func stalePause() async throws {
    let books = try await Books()
    var assignment = try await books.release(submission())
    assignment.token += 1
    try await books.record(books.report(assignment, .broken, hint: RetryHint(pausesDepartment: true)))
    #expect(try await books.bookkeeper.setPaused("work", true).isNew)
  }

  @Test("it is known after a restart, and for a replay")
  func kept() async throws {
    let books = try await Books()
    let assignment = try await books.release(submission())
    try await books.record(books.report(assignment, .broken, hint: RetryHint(attempts: 2, wait: .seconds(50))))
    let later = try await books.succeeded()
    try await later.lookAtClock(after: .seconds(51))
    let second = try #require(try await later.told().assignments.first)
    #expect(second.maxAttempts == 2)
    try await later.fail(second)
    #expect(try await later.failure(second.job) == "broken")
    #expect(try await later.job(second.job)?.progress.maxAttempts == 2)
  }

  @Test("a job that its handler runs at most once is not run again when its worker is lost")
  func atMostOnce() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let assignment = try await books.release(submission())
    books.bookkeeper.confirmed([assignment.release])
    try await books.claim(assignment.release, by: worker, attempts: 1)
    let probe = try #require(try await books.told().probes.last)
    try await books.present(worker, probe: probe)
    let verdicts = try await books.returnFences(in: try await books.told()).verdicts
    #expect(verdicts == [.run(token: 2, attempt: 1)])
    #expect(try await books.job(assignment.job)?.progress.maxAttempts == 1)
    for second in 1...12 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    _ = try await books.returnFences(in: try await books.told())
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    _ = try await books.returnFences(in: try await books.told())
    #expect(try await books.failure(assignment.job) == JobFailure.Code.lost)
  }

  @Test("a report that does not count settles nothing")
  func stale() async throws {
    let books = try await Books()
    var assignment = try await books.release(submission())
    assignment.token += 1
    try await books.record(books.report(assignment, .broken, hint: hint))
    #expect(try await books.job(assignment.job)?.progress.saidAttempts == nil)
  }

  @Test("a snoozed job runs again after its time, with all its attempts; others have its place meanwhile")
  func snoozed() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    let earliest = await books.bookkeeper.now
    try await books.record(books.report(assignment, .snoozed(.seconds(90))))
    let memory = await books.bookkeeper.memory
    #expect(memory.desks["work"]?.inUse == 0)
    #expect(memory.desks["work"]?.delayed == 1)
    try await books.bookkeeper.lookAtClock(earliest + .milliseconds(89_999))
    #expect(try await books.told().assignments.isEmpty)
    let later = try await books.succeeded()
    try await later.lookAtClock(after: .seconds(91))
    let again = try #require(try await later.told().assignments.first)
    #expect(again.attempt == 1)
    #expect(again.release != assignment.release)
    try await later.record(later.report(again, .snoozed(.seconds(90))))
    try await later.lookAtClock(after: .seconds(182))
    let last = try #require(try await later.told().assignments.first)
    try await later.record(later.report(last, .done))
    #expect(try await later.ledger.read { try $0.attempts(of: last.job) }.map(\.end) == [.succeeded])
  }

  @Test("why a snoozed job does not run is told, and not as a failure")
  func snoozeExplained() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.fail(assignment)
    try await books.lookAtClock(after: .seconds(601))
    let second = try #require(try await books.told().assignments.first)
    try await books.record(books.report(second, .snoozed(.seconds(90))))
    let reason = try await books.bookkeeper.explain(second.job)?.reasons.first
    #expect(reason?.hold == .snooze)
    #expect(
      reason?.text == "its handler has put attempt 2 off; it has put the job off 1 of at most 10000 times")
    #expect(reason?.endsAt.map { $0 > books.now } == true)
    let attempts = try await books.ledger.read { try $0.attempts(of: second.job) }
    #expect(attempts.map(\.number) == [1, 2])
    #expect(attempts.map(\.end) == [.failed, .snoozed])
    #expect(attempts.last?.failure == nil)
  }

  @Test("a snoozed job has begun in time, however long it sleeps")
  func snoozedInTime() async throws {
    let books = try await Books()
    let submission = Submission(id: JobID(), kind: "loan", startBy: .within(.seconds(60)))
    let assignment = try await books.release(submission)
    try await books.record(books.report(assignment, .snoozed(.seconds(90))))
    try await books.lookAtClock(after: .seconds(80))
    #expect(try await books.failure(submission.id) == nil)
    try await books.lookAtClock(after: .seconds(91))
    #expect(try await books.told().assignments.map(\.job) == [submission.id])
  }

  @Test("a discarded job is cancelled, with the reason, and is not among those that failed")
  func discarded() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    let reason = JobFailure(code: JobFailure.Code.discarded, message: "the customer has left")
    try await books.record(books.report(assignment, .discarded(reason)))
    #expect(try await books.job(assignment.job)?.outcome == .cancelled(reason))
  }

  @Test("a submitter's headers reach the handler in each attempt")
  func headers() async throws {
    let books = try await Books()
    var submission = Submission(id: JobID(), kind: "deposit", headers: ["tenant": "north", "é": "🏦 \"\\"])
    submission.content.trace = TraceContext(traceparent: "00-a-b-01")
    let assignment = try await books.release(submission)
    #expect(assignment.content == submission.content)
    #expect(assignment.acceptedAt != nil)
    try await books.fail(assignment)
    // Of the ledger: the memory keeps no content.
    #expect(try await books.told().assignments.map(\.content) == [submission.content])
  }
}
