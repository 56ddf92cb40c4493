import AMQP
import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

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
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
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
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
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

  @Test("one that an earlier version recorded has no rules, and goes on to its end: every step is required")
  func withoutRules() async throws {
    for isFailing in [false, true] {
      let books = try await Books()
      let plan = plan([("first", 1), ("second", 2), ("third", 3)])
      _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
      try books.ledger.write { try $0.statements.run("UPDATE plan SET rules = NULL WHERE id = ?", plan.id) }
      let next = try await books.succeeded()
      let first = try #require(await next.bookkeeper.released.values.first)
      try await next.record(
        .report(
          Report(
            release: first.release, token: first.progress.token, ledger: next.ledger.id, worker: WorkerID(),
            startedAgo: .zero, ran: .zero, result: .done)))
      let second = try #require(try await next.told().assignments.first { $0.step?.name == "second" })
      try await next.record(next.report(second, isFailing ? .hopeless : .done))
      let third = JobID(plan: plan.id, step: "third")
      #expect(try await next.state(third) == (isFailing ? .cancelled : .queued))
    }
  }

  @Test("one of which a step's id is another job's already is rejected as a whole, and nothing of it is kept")
  func takenStep() async throws {
    let books = try await Books(in: try TemporaryFolder())
    let plan = plan([("first", 1), ("second", 2)])
    try await books.accept(Submission(id: JobID(plan: plan.id, step: "second"), kind: "loan"))
    _ = try await books.told()
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    guard case .rejected(let failure)? = try await books.told().replies.first else {
      Issue.record("it was not rejected")
      return
    }
    #expect(failure.code == "id_taken")
    #expect(failure.message.contains("\"second\""))
    #expect(try await books.ledger.read { try $0.plan(plan.id) } == nil)
    #expect(try await books.job(JobID(plan: plan.id, step: "first")) == nil)
  }

  @Test("one that comes again is a duplicate, though its steps are there")
  func again() async throws {
    let books = try await Books(in: try TemporaryFolder())
    let plan = plan([("first", 1)])
    for _ in 0..<2 { _ = try await books.bookkeeper.accept([Incoming(.plan(plan))]) }
    #expect(try await books.told().replies == [.accepted, .duplicate])
  }

  @Test("a job with a rank joins the open plan, and one without follows it")
  func joins() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let plan = plan([("first", 1), ("third", 3)])
    let joining = Submission(id: JobID(), kind: "step", department: "init", rank: 2)
    let following = Submission(id: JobID(), kind: "step", department: "init")
    _ = try await books.bookkeeper.accept([
      Incoming(.plan(plan)), Incoming(.job(following)),
      Incoming(.job(joining)),
    ])
    var order: [JobID] = []
    while let assignment = try await books.told().assignments.first {
      order.append(assignment.job)
      _ = try await books.bookkeeper.record([books.report(assignment, done)])
    }
    let steps = ["first", "third"].map { JobID(plan: plan.id, step: $0) }
    #expect(order == [steps[0], joining.id, steps[1], following.id])
  }

  @Test("a job with an earlier rank waits for the end of the step that is released")
  func comesEarlier() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan([("third", 3)])))])
    let released = try await books.told().assignments
    let earlier = Submission(id: JobID(), kind: "step", department: "init", rank: 2)
    _ = try await books.bookkeeper.accept([Incoming(.job(earlier))])
    #expect(released.count == 1)
    #expect(try await books.told().assignments.isEmpty)
    for assignment in released { _ = try await books.bookkeeper.record([books.report(assignment, done)]) }
    #expect(try await books.told().assignments.map(\.job) == [earlier.id])
  }

  @Test("when all steps of a plan come too late at once, the first one shuts it, and each of the others ends once")
  func tooLateTogether() async throws {
    let books = try await Books().succeeded { $0.kinds["step"]?.startWithin = .seconds(1) }
    _ = try await books.bookkeeper.setPaused("init", true)
    let late = plan([("first", 1), ("second", 2), ("third", 3)])
    _ = try await books.bookkeeper.accept([Incoming(.plan(late))])
    try await books.lookAtClock(after: .seconds(60))
    var failures: [String?] = []
    for step in late.steps { failures.append(try await books.failure(JobID(plan: late.id, step: step.name))) }
    #expect(failures == ["too_late", "plan_shut", "plan_shut"])
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
    var ended: [JobID] = []
    while let batch = try await books.bookkeeper.nextNotifications(atMost: 500) {
      ended += batch.notifications.compactMap(\.job)
      await books.bookkeeper.sent(batch)
    }
    #expect(ended.count == 4, "each step has one notification, and so has the plan")
  }

  @Test("a step is given the payload that its submitter wrote, to the last digit")
  func payload() async throws {
    let folder = try TemporaryFolder()
    let books = try await Books(in: folder)
    let payload = #"{"id": 18446744073709551615, "price": 1.10, "big": 123456789012345678901234567890, "e": 1e400}"#
    let body = #"{"department": "init", "steps": [{"name": "a", "kind": "step", "rank": 1, "payload": \#(payload)}]}"#
    var message = Delivery.empty
    message.properties.contentType = "application/vnd.teller.plan+json"
    message.properties.messageID = JobID().description
    message.body = .bytes(Array(body.utf8))
    _ = try await books.bookkeeper.accept([Incoming(SubmissionCodec.decode(message, now: books.now))])
    let assignment = try #require(try await books.told().assignments.first)
    #expect(String(decoding: assignment.content.payload, as: UTF8.self) == payload)
    #expect(assignment.content.contentType == "application/json")
  }
}
