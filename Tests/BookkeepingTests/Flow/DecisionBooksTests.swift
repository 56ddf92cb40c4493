import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("What a submitter is told that the coordinator has decided")
struct DecisionBooksTests {
  /// How the first job of a key, or of an id, stands when the second one comes.
  enum Standing: CaseIterable {
    case held, queued, succeeded, failed, cancelled

    var state: JobState {
      switch self {
      case .held: .held
      case .queued: .queued
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      }
    }
  }

  private func submission(_ payload: String = "1", key: String? = nil, id: JobID = JobID()) -> Submission {
    Submission(
      id: id, kind: "deposit", payload: Array(payload.utf8), key: key.map { SubmissionKey(text: $0) }, reply: .test)
  }

  private func accept(_ submission: Submission, _ standing: Standing, _ books: Books) async throws {
    if standing == .held {
      var waiting = submission
      waiting.runAt = .within(.seconds(3_600))
      return try await books.accept(waiting)
    }
    let released = try await books.release(submission)
    switch standing {
    case .held, .queued: break
    case .succeeded: try await books.succeed(released)
    case .failed: try await books.fail(released, isPermanent: true)
    case .cancelled: _ = try await books.cancel(released.job)
    }
    _ = try await books.told()
  }

  @Test(
    "a duplicate by key has the state of the first job, its error, and whether the content is the same",
    arguments: Standing.allCases)
  func byKey(standing: Standing) async throws {
    let books = try await Books()
    try await accept(submission(key: "a"), standing, books)
    for (payload, isSame) in [("1", true), ("2", false)] {
      var second = submission(payload, key: "a")
      second.reply = .other
      try await books.accept(second)
      let told = try await books.told()
      let decided = try #require(told.decided(to: .other).first ?? nil)
      #expect(told.replies(to: .other).first == .duplicate)
      #expect(decided.state == standing.state && decided.isSameContent == isSame && !decided.isAgain)
      #expect((decided.failure == nil) == (standing != .failed && standing != .cancelled))
    }
  }

  @Test("the same id with the same content is a duplicate in every state", arguments: Standing.allCases)
  func byID(standing: Standing) async throws {
    let books = try await Books()
    let first = submission()
    try await accept(first, standing, books)
    var second = first
    (second.reply, second.submittedAt) = (.other, Timestamp(milliseconds: 7))
    (second.priority, second.maxAttempts, second.content.headers) = (9, 7, ["tenant": "b"])
    try await books.accept(second)
    let told = try await books.told()
    #expect(told.replies(to: .other).first == .duplicate)
    #expect(told.decided(to: .other).first??.state == standing.state)
    #expect(told.decided(to: .other).first??.isSameContent == true)
  }

  /// What another submission of the same id may have.
  private static let differences: [(String, @Sendable (inout Submission) -> Void)] = [
    ("payload", { $0.content.payload = Array("2".utf8) }),
    ("an empty payload", { $0.content.payload = [] }),
    ("a longer payload", { $0.content.payload += [0] }),
    ("the same text in other bytes", { $0.content.payload = Array(" 1".utf8) }),
    ("kind", { $0.kind = "loan" }),
    ("department", { $0.department = "capped" }),
    ("key", { $0.key = SubmissionKey(text: "b") }),
    ("content type", { $0.content.contentType = "text/plain" }),
    ("a content type that only looks like it", { $0.content.contentType = "application/cafe\u{301}" }),
  ]

  @Test("the same id with other content is refused in every state, and changes nothing", arguments: Standing.allCases)
  func conflict(standing: Standing) async throws {
    for (what, change) in Self.differences {
      let books = try await Books()
      var first = submission()
      first.content.contentType = "application/caf\u{E9}"
      try await accept(first, standing, books)
      let before = try await books.job(first.id)
      var second = first
      second.reply = .other
      change(&second)
      try await books.accept(second)
      let told = try await books.told()
      #expect(told.rejections(to: .other) == ["id_conflict"], "\(what)")
      #expect(told.assignments.isEmpty, "\(what)")
      #expect(try await books.job(first.id) == before, "\(what)")
    }
  }

  @Test("the same message, when it comes again, says so")
  func sameMessage() async throws {
    let books = try await Books()
    var job = submission()
    job.submittedAt = Timestamp(milliseconds: 5)
    try await books.accept(job)
    try await books.accept(job)
    #expect(
      try await books.told().decided(to: .test) == [
        nil, DecidedPart(state: .queued, isSameContent: true, isAgain: true),
      ])
  }

  @Test("a large payload, which the ledger keeps elsewhere, is compared, too")
  func largePayload() async throws {
    let books = try await Books()
    let large = String(repeating: "x", count: 100_000)
    let first = submission(large)
    try await books.accept(first)
    try await books.accept(submission(large, id: first.id), submission(large.dropLast() + "y", id: first.id))
    #expect(try await books.told().replies.count { $0 == .duplicate } == 1)
  }

  @Test("a job that ends as it is accepted is told with its end: too late, and behind one that has failed")
  func doomed() async throws {
    let books = try await Books()
    let failed = try await books.release(submission())
    try await books.fail(failed, isPermanent: true)
    _ = try await books.told()
    var late = submission()
    late.startBy = .at(Timestamp(milliseconds: 1))
    var behind = submission()
    behind.after = Dependencies(jobs: [failed.job])
    var cancelled = submission()
    cancelled.after = Dependencies(jobs: [failed.job], rule: .cancel)
    for (job, state, code) in [
      (late, JobState.failed, "too_late"), (behind, .failed, "dependency"), (cancelled, .cancelled, "dependency"),
    ] {
      // Also whoever asks for no outcome is told.
      for wait in [ReplyAddress.Wait.accepted, .outcome] {
        var job = job
        job.id = JobID()
        job.reply?.wait = wait
        try await books.accept(job)
        let decided = try await books.told().decided(to: .test).first ?? nil
        #expect(decided?.state == state && decided?.failure?.code == code)
      }
    }
  }

  @Test("a job that takes a key over says from which job")
  func replaced() async throws {
    let books = try await Books()
    var first = submission(key: "a")
    first.key?.window = .whileLive
    let released = try await books.release(first)
    try await books.succeed(released)
    _ = try await books.told()
    try await books.accept(submission(key: "a"))
    #expect(try await books.told().decided(to: .test) == [DecidedPart(replaces: first.id)])
  }

  @Test("a duplicate of a job that is removed knows its state by the key, and not its content")
  func removed() async throws {
    let books = try await Books(retention: .everything)
    try await books.fail(try await books.release(submission(key: "a")), isPermanent: true)
    _ = try await books.told()
    try await books.retain()
    try await books.accept(submission("2", key: "a"))
    let decided = try await books.told().decided(to: .test).first ?? nil
    #expect(decided?.state == .failed && decided?.isSameContent == nil && decided?.failure != nil)
  }

  @Test("a submission that is known is answered as a duplicate before its dependencies are looked at")
  func knownBeforeDependencies() async throws {
    let books = try await Books(retention: .everything)
    let old = JobID(version7: Timestamp(milliseconds: 1), using: &Self.generator)
    try await books.succeed(try await books.release(submission(id: old)))
    _ = try await books.told()
    var job = submission()
    job.after = Dependencies(jobs: [old])
    try await books.accept(job)
    try await books.retain()
    try books.ledger.write { try $0.forgetRemoved(beyond: 0) }
    _ = try await books.told()
    try await books.accept(job)
    #expect(try await books.told().replies.first == .duplicate)
  }

  @Test("a job cannot have the id of a plan's run that came before it in the same batch")
  func idOfPlanInOneBatch() async throws {
    let books = try await Books()
    let plan = PlanSubmission(
      id: JobID(), department: "init", steps: [PlanStep(name: "s", kind: "step", rank: 1)], reply: .test)
    var (first, second) = (submission(), submission(id: plan.id))
    (first.reply, second.reply) = (.other, .other)
    _ = try await books.bookkeeper.accept([Incoming(.job(first)), Incoming(.plan(plan)), Incoming(.job(second))])
    #expect(try await books.told().rejections(to: .other) == ["id_taken"])
    #expect(try await books.job(first.id) != nil)
  }

  @Test("a job cannot have the id of a plan's run")
  func idOfPlan() async throws {
    let books = try await Books()
    let plan = PlanSubmission(
      id: JobID(), department: "init", steps: [PlanStep(name: "s", kind: "step", rank: 1)], reply: .test)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    _ = try await books.told()
    var job = submission(id: plan.id)
    job.reply = .other
    try await books.accept(job)
    #expect(try await books.told().rejections(to: .other) == ["id_taken"])
    #expect(try await books.job(plan.id) == nil)
  }

  private static var generator: SystemRandomNumberGenerator {
    get { SystemRandomNumberGenerator() }
    set {}
  }
}
