import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// Books in which one rule, and one webhook, take every notification. Every optional event is recorded.
struct CaughtBooks {
  let books: Books

  private static let caught: JobKind = "caught"
  private static let rule = Rule(
    "catch", on: EventFilter(exceptKinds: [caught, WebhookSettings.kind]),
    submit: RuleJob(caught, department: "caught"))
  /// Says that it could not make its job.
  private static let broken = Rule("broken", on: EventFilter(events: ["resumed"]), submit: RuleJob("nowhere"))

  init(_ books: Books) async throws {
    self.books = books
    try await books.takeOver(CaughtBooks.catchAll)
  }

  /// Books that have the rule and the webhook already.
  init(watching books: Books) { self.books = books }

  static func catchAll(_ configuration: inout CoordinatorConfiguration) {
    configuration.rules = [rule, broken]
    configuration.notify = Set(OptionalEvent.allCases)
    configuration.webhooks["all"] = WebhookSettings(place: .file("unused"))
    for name in ["caught", "webhook-all"] as [Department] { configuration.departments[name] = .init(window: 2) }
  }

  /// The notifications behind that number, in sequence.
  func notifications(after number: Int64 = 0) async throws -> [NotificationRecord] {
    try await books.ledger.read { try $0.allNotifications(from: number + 1, limit: 1_000_000) }
  }

  /// The notifications of which the rule, or the webhook, has made no job, though it should have.
  func missed(among records: [NotificationRecord]) async throws -> [String] {
    let ledger = books.ledger.id
    return try await books.ledger.read { queries in
      try records.flatMap { record in
        try CaughtBooks.takers(of: record, queries).filter { rule in
          let place = NotificationPosition(epoch: record.epoch, seq: record.number)
          return try queries.job(JobID(rule: rule, of: place, in: ledger)) == nil
        }.map { "\($0) missed \(record.event), number \(record.number)" }
      }
    }
  }

  /// Who is to make a job of a notification. Of what rules could not do, nobody; of what has become of deliveries, no
  /// webhook; of jobs that end since their key is reset, no other rule.
  private static func takers(of record: NotificationRecord, _ ledger: LedgerQueries) throws -> [RuleName] {
    if record.event == OptionalEvent.ruleFailed.rawValue { return [] }
    guard case .job(let id) = record.subject, let job = try ledger.job(id) else { return ["catch", "webhook-all"] }
    if job.kind == WebhookSettings.kind { return [] }
    let isReset = job.outcome?.failure?.message.contains("reset of its key") == true
    return job.kind == caught || isReset ? ["webhook-all"] : ["catch", "webhook-all"]
  }

  /// A job that has come too late, and ends in the next turn in which windows are filled: in the turn that opened its
  /// department nothing was, since the outbox was full.
  func tooLate() async throws -> JobID {
    let job = Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(30)))
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.accept(job)
    let large = [UInt8](repeating: 0, count: Outbox.limit)
    let reply = Reply(job: "j", correlationID: nil, content: .outcome(.succeeded(result: large, contentType: nil)))
    books.outbox.append([.reply(to: "teller.reply.x", reply)])
    _ = try await books.bookkeeper.setPaused("work", false)
    books.clock.pass(.seconds(60))
    _ = try await books.told()
    #expect(try await books.state(job.id) == .held)
    return job.id
  }
}
