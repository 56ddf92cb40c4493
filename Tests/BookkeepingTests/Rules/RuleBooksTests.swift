import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Rules in the books")
struct RuleBooksTests {
  private static let alert = Rule(
    "alert", on: EventFilter(events: ["failed"], kinds: ["deposit"]),
    submit: RuleJob(
      "vault",
      payload: try? RuleTemplate(json: #"{"text": "${message}", "of": "${payload.order?}", "n": "${attempt}"}"#)
    ))

  private func books(_ rules: Rule...) async throws -> Books {
    let books = try await Books()
    try await books.takeOver { $0.rules = rules }
    return books
  }

  /// A job that fails for good.
  private func fail(_ books: Books, _ submission: Submission) async throws {
    try await books.fail(try await books.release(submission), isPermanent: true)
  }

  private func payload(of job: JobID, _ books: Books) async throws -> String {
    let job = try #require(try await books.job(job))
    let content = try books.ledger.write { try $0.content(of: job.number) }
    return String(decoding: content?.payload ?? [], as: UTF8.self)
  }

  /// The events that the stream has not been told yet.
  private func news(_ books: Books) async throws -> [JobModel.Notification] {
    guard let batch = try await books.bookkeeper.nextNotifications(atMost: 1_000) else { return [] }
    await books.bookkeeper.sent(batch)
    return batch.notifications
  }

  @Test("the job of a rule is recorded with the notification, and released; its payload is made of the notification")
  func made() async throws {
    let books = try await books(Self.alert)
    let failing = Submission(id: JobID(), kind: "deposit", payload: Array(#"{"order": 7.0}"#.utf8))
    try await fail(books, failing)
    let seq = try #require(try await news(books).first?.seq)
    let id = JobID(rule: "alert", of: NotificationPosition(epoch: 1, seq: seq), in: books.ledger.id)
    #expect(try await books.told().assignments.map(\.job) == [id])
    #expect(try await payload(of: id, books) == #"{"text": "it cannot be", "of": 7.0, "n": 1}"#)
    let origin = try await books.ledger.read { try $0.ruleOrigin(of: id) }
    #expect(origin?.rule == "alert" && origin?.notification.seq == seq && origin?.depth == 1)
    #expect(origin?.cause == failing.id)
    #expect(try await books.ledger.read { try $0.jobsOfRules(causedBy: failing.id, limit: 9) } == [id])
  }

  @Test(
    "of a job that ends because its key is reset no rule makes anything, and a webhook delivers it",
    arguments: [false, true])
  func reset(isWebhook: Bool) async throws {
    let rule = Rule(
      isWebhook ? "webhook-chat" : "alert", on: EventFilter(events: ["failed", "cancelled"], kinds: ["deposit"]),
      submit: RuleJob(
        isWebhook ? WebhookSettings.kind : "vault", department: "work", key: try? RuleTemplate(json: #""${key}""#)))
    let books = try await books(rule)
    _ = try await books.release(Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "a")))
    _ = try await books.bookkeeper.resetKeys("deposit", "a")
    let made = try await books.told().assignments.map(\.content)
    #expect(made.count == (isWebhook ? 1 : 0), "\(made)")
  }

  @Test("what passes no rule makes nothing, and neither does an end that is told again")
  func notMeant() async throws {
    let books = try await books(Self.alert)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    try await books.succeed(assignment)
    try await fail(books, Submission(id: JobID(), kind: "loan"))
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await news(books).map(\.event) == ["succeeded", "failed"])
  }

  @Test("a chain of rules ends after its longest length, and says so")
  func chain() async throws {
    // The configuration would be refused: here each job triggers its own rule.
    let books = try await books(Rule("again", on: EventFilter(events: ["succeeded"]), submit: RuleJob("deposit")))
    try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit")))
    var lengths = 0
    while let next = try await books.told().assignments.first {
      lengths += 1
      try await books.succeed(next)
    }
    #expect(lengths == Rule.longestChain)
    let last = try #require(try await news(books).last)
    #expect(last.event == "rule_failed" && last.error?.code == "rule_chain" && last.name == "again")
    #expect(last.error?.message.contains("\(Rule.longestChain) rules") == true)
  }

  @Test("a rule without a department for its job says so, and nothing else is harmed; that makes no job, either")
  func refused() async throws {
    let books = try await books(
      Rule("lost", on: EventFilter(events: ["succeeded"]), submit: RuleJob("nowhere")),
      Rule("watch", on: EventFilter(exceptKinds: ["vault"]), submit: RuleJob("vault")))
    try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit")))
    let told = try await news(books)
    #expect(told.map(\.event) == ["succeeded", "rule_failed"])
    #expect(told.last?.error?.code == "unknown_department" && told.last?.name == "lost")
    #expect(try await books.told().assignments.map(\.kind) == ["vault"])
  }

  @Test("a rule with a key makes one job as long as the key is taken")
  func key() async throws {
    let rule = Rule(
      "once", on: EventFilter(events: ["failed"], kinds: ["deposit"]),
      submit: RuleJob("vault", key: try RuleTemplate(json: #""${error} ${key}""#)))
    let books = try await books(rule)
    var made: [JobID] = []
    for _ in 1...3 {
      let job = Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "ada", window: .lasting(.zero)))
      try await fail(books, job)
      made += try await books.ledger.read { try $0.jobsOfRules(causedBy: job.id, limit: 9) }
    }
    #expect(made.count == 1)
    #expect(try await books.ledger.read { try $0.keyHolder("vault", "hopeless ada") } != nil)
  }

  @Test("a payload that would be too large is refused before it is made")
  func tooLarge() async throws {
    let rule = Rule(
      "copy", on: EventFilter(events: ["failed"], kinds: ["deposit"]),
      submit: RuleJob("vault", payload: try RuleTemplate(json: #"["${payload}", "${payload}", "${payload}"]"#)))
    let books = try await books(rule)
    let large = #"{"text": ""# + String(repeating: "x", count: 400_000) + #""}"#
    try await fail(books, Submission(id: JobID(), kind: "deposit", payload: Array(large.utf8)))
    #expect(try await news(books).last?.error?.code == "body_too_large")
  }

  @Test("a transaction that fails records neither the notification nor the job")
  func both() async throws {
    let books = try await books(Self.alert)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let before = try await books.ledger.read { try $0.allNotifications(from: 1, limit: 9) }
    // The memory is lost behind the recorded turn: what was recorded is told, once.
    try await books.fail(assignment, isPermanent: true)
    try await books.restart()
    let after = try await books.ledger.read { try $0.allNotifications(from: 1, limit: 9) }
    #expect(after.count == before.count + 1)
    let place = NotificationPosition(epoch: 1, seq: after.last?.number ?? 0)
    let id = JobID(rule: "alert", of: place, in: books.ledger.id)
    #expect(try await books.state(id) == .queued)
    try await books.record(books.report(assignment, .hopeless))
    #expect(try await books.ledger.read { try $0.jobsOfRules(causedBy: assignment.job, limit: 9) } == [id])
  }

  @Test(
    "the chain of story 5: an error makes one alert, an alert one navigation; reset, and again",
    arguments: [false, true])
  func story(ofAll: Bool) async throws {
    let key = try RuleTemplate(json: #""${key}""#)
    let books = try await books(
      Rule("alert", on: EventFilter(events: ["failed"], kinds: ["deposit"]), submit: RuleJob("vault", key: key)),
      Rule("navigation", on: EventFilter(events: ["succeeded"], kinds: ["vault"]), submit: RuleJob("loan", key: key)))
    for round in 1...2 {
      // Pressed twice: one job.
      let press = { Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "login"), reply: $0) }
      let login = try await books.release(press(.test))
      try await books.accept(press(.other))
      try await books.fail(login, isPermanent: true)
      let told = try await books.told()
      #expect(told.replies(to: .test).last == told.replies(to: .other).last, "one result to both")
      let alert = try #require(told.assignments.first, "round \(round)")
      #expect(told.assignments.map(\.kind) == ["vault"])
      try await books.succeed(alert)
      let navigation = try #require(try await books.told().assignments.first)
      #expect(navigation.kind == "loan")
      let operation = try await books.bookkeeper.resetKeys("deposit", ofAll ? nil : "login")
      #expect(operation?.changed == 1 && operation?.finished != nil)
      #expect(try await books.failure(navigation.job) == "cancelled")
      _ = try await books.told()
    }
    #expect(try await books.bookkeeper.listKeys(KeyQuery()).keys.isEmpty)
  }
}
