import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import AMQP
@testable import Bookkeeping
@testable import BooksSupport

/// Reports that no worker of this version sends: each ends its attempt, or changes nothing. None has a job repeated without
/// a count.
@Suite("Reports that cannot be used, in the books")
struct BadReportsTests {
  private let worker = WorkerID("w")

  /// The message of one report.
  private func message(_ assignment: Assignment, _ result: String, _ body: [UInt8], _ books: Books) -> Delivery {
    let line = "\(assignment.job) \(assignment.release.number) \(assignment.token) 20 10 \(result) 0 \(body.count)\n"
    return delivery(Array(line.utf8) + body, books)
  }

  private func delivery(_ body: [UInt8], _ books: Books) -> Delivery {
    Delivery(
      consumerTag: "test", deliveryTag: 1, isRedelivered: false, exchange: "", routingKey: "teller.reports",
      properties: MessageProperties(correlationID: books.ledger.id.text, type: "reports", appID: worker.text),
      body: .bytes(body))
  }

  private func record(_ delivery: Delivery, _ books: Books) async throws -> [Refusal] {
    let messages = ReportCodec.decode(delivery)
    let vetted = await books.bookkeeper.vetted(messages, from: messages.map { _ in nil })
    return try await books.bookkeeper.record(vetted)
  }

  @Test("a result that is too large uses its attempts up, is parked nowhere, and its worker hears it each time")
  func tooLarge() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    for attempt in 1...2 {
      #expect(assignment.attempt == attempt)
      #expect(
        try await record(message(assignment, "succeeded", .init(repeating: 7, count: 300_000), books), books).isEmpty)
      let told = try await books.told()
      #expect(told.refused.map(\.type) == ["reports"] && told.refused.map(\.release) == [assignment.release])
      #expect(told.refused.map(\.failure.code) == [JobFailure.Code.badReport])
      guard attempt == 1 else { continue }
      assignment = try #require(told.assignments.first)
    }
    let outcome = try #require(try await books.job(assignment.job)?.outcome)
    #expect(outcome.failure?.code == JobFailure.Code.badReport)
    #expect(outcome.failure?.message.contains("300000 bytes is over the limit of 262144") == true)
    let attempts = try await books.ledger.read { [assignment] in try $0.attempts(of: assignment.job) }
    #expect(attempts.map(\.failure?.code) == [JobFailure.Code.badReport, JobFailure.Code.badReport])
  }

  @Test("a report that cannot be used waits for the back-off of its job, like a failure")
  func backOff() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    #expect(try await record(message(assignment, "done", [1], books), books).isEmpty)
    let reasons = try await books.bookkeeper.explain(assignment.job)?.reasons
    #expect(reasons?.map(\.hold) == [.retry] && reasons?.first?.text.contains("bad_report") == true, "\(reasons ?? [])")
    #expect(try await books.told().assignments.isEmpty)
    try await books.lookAtClock(after: .seconds(601))
    #expect(try await books.told().assignments.map(\.attempt) == [2])
  }

  @Test("a stale report that cannot be used changes nothing, and its worker hears why it is of no use")
  func stale() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
    assignment.token += 1
    let before = try await books.job(assignment.job)?.progress
    #expect(try await record(message(assignment, "done", [1], books), books).isEmpty)
    #expect(try await books.job(assignment.job)?.progress == before)
    #expect(try await books.told().refused.count == 1)
  }

  /// What grows with each repetition of a job that is counted.
  private struct Count: Comparable {
    var attempt: Int
    var deaths: Int
    var unused: UnusedAttempts

    private var sum: Int { attempt + deaths + unused.snoozes + unused.losses + unused.drains }
    static func < (one: Count, other: Count) -> Bool { one.sum < other.sum }
  }

  private func count(_ id: JobID, _ books: Books) async throws -> (Count, JobProgress, JobState) {
    let job = try #require(try await books.job(id))
    let unused = try await books.ledger.read { try $0.unusedAttempts(of: job.number) }
    let count = Count(attempt: job.progress.attempt, deaths: job.progress.deaths, unused: unused)
    return (count, job.progress, job.progress.state)
  }

  private func results(_ random: inout SeededRandom) -> (String, [UInt8]) {
    let failure = Array(#"{"error":"no_funds","message":"7 too few","attempts":3,"retry_ms":0}"#.utf8)
    return [
      ("succeeded", [1, 2]), ("failed", failure), ("failed-for-good", failure), ("discarded", failure),
      ("snoozed", Array(#"{"for_ms":30000}"#.utf8)),
    ].randomElement(using: &random) ?? ("succeeded", [])
  }

  /// Changes a message anywhere: its bytes, its size, its type, and the headers that say whose it is.
  private func change(_ delivery: inout Delivery, _ random: inout SeededRandom) {
    guard case .bytes(var body) = delivery.body else { return }
    let place = Int.random(in: 0..<max(1, body.count), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: if !body.isEmpty { body[place] = UInt8.random(in: 0...255, using: &random) }
    case 3: body.insert(Array("\n 9-{\"".utf8)[Int.random(in: 0..<6, using: &random)], at: place)
    case 4: if !body.isEmpty { body.remove(at: place) }
    case 5: body = Array(body.prefix(place))
    case 6: body += body
    case 7:
      delivery.properties.type =
        ["reports", "report", nil, "claims", "adopt", "dropped"].randomElement(using: &random) ?? nil
    case 8: delivery.properties.correlationID = [nil, "", "x y", "other"].randomElement(using: &random) ?? nil
    default: delivery.properties.appID = [nil, "", "x y", "other"].randomElement(using: &random) ?? nil
    }
    delivery.body = .bytes(body)
  }

  @Test("whatever is changed in a report, its job comes to an end, is repeated with a count, or nothing changes")
  func property() async throws {
    var random = SeededRandom(for: "reports that cannot be used")
    var books = try await Books()
    for round in 0..<SeededRandom.length(160, long: 10_000) {
      // A job that is cancelled keeps its place in the window as long as its message may be in the queue.
      if round.isMultiple(of: 8) { books = try await Books() }
      let assignment = try await books.release(Submission(id: JobID(), kind: "transfer"))
      let (result, body) = results(&random)
      var delivery = message(assignment, result, body, books)
      for _ in 0..<Int.random(in: 1...3, using: &random) { change(&delivery, &random) }
      let (before, progress, _) = try await count(assignment.job, books)
      let refusals = try await record(delivery, books)
      let (after, now, state) = try await count(assignment.job, books)
      let isRepeated = now.release != progress.release || state == .held
      #expect(!isRepeated || after > before, "round \(round): \(delivery)")
      // What has changed nothing is kept for people or answered, unless it was a message of another sort, or of a job that
      // is not there: nothing is lost in silence.
      if now == progress, case .unreadable? = ReportCodec.decode(delivery).last { #expect(!refusals.isEmpty) }
      _ = try await books.cancel(assignment.job)
      _ = try await books.returnFences(in: try await books.told())
    }
  }

  @Test("a job whose messages leave the queue without a word waits longer each time, says so, and comes to an end")
  func unreported() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let job = assignment.job
    for loss in 1...UnusedAttempts.lossLimit {
      // Its worker acks it, and sends what nobody can attribute.
      var nameless = message(assignment, "succeeded", [1], books)
      nameless.properties.appID = nil
      #expect(try await record(nameless, books).map(\.failure.code) == [JobFailure.Code.unreadable])
      books.bookkeeper.confirmed([assignment.release])
      try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
      var told = try await books.returnFences(in: try await books.told())
      let (count, _, state) = try await count(job, books)
      #expect(count.unused.losses == loss && count.attempt == 1)
      if loss > 1 {
        #expect(told.assignments.isEmpty && state == .held)
        let reason = try #require(try await books.bookkeeper.explain(job)?.reasons.first)
        #expect(reason.hold == .retry && reason.text.contains("\(loss) of at most 10 times"), "\(reason.text)")
        #expect(reason.text.contains("released again after the back-off"))
        try await books.lookAtClock(after: .seconds(1_000))
        told = try await books.told()
      }
      assignment = try #require(told.assignments.first)
    }
    books.bookkeeper.confirmed([assignment.release])
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    _ = try await books.returnFences(in: try await books.told())
    #expect(try await books.failure(job) == JobFailure.Code.unreported)
    #expect(try await books.freshMemory().differences(from: books.bookkeeper.memory) == [])
  }

  @Test("a job that its dead workers had taken ahead is not one of which nothing was heard")
  func takenAhead() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    var now = Duration.zero
    for _ in 0..<UnusedAttempts.lossLimit + 2 {
      books.bookkeeper.confirmed([assignment.release])
      let dying = WorkerID()
      for waiting in [[], [WaitingRelease(release: assignment.release, token: assignment.token)]] {
        try await books.present(dying, waiting: waiting, at: now)
      }
      for _ in 1...12 {
        now += .seconds(1)
        try await books.bookkeeper.tick(at: now, isBlocked: false)
      }
      assignment = try #require(try await books.returnFences(in: try await books.told()).assignments.first)
    }
    #expect(assignment.attempt == 1)
    #expect(try await count(assignment.job, books).0.unused == UnusedAttempts())
  }

  @Test("a snooze has a floor and a limit, which explain shows; the job fails after it")
  func snoozes() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let began = await books.bookkeeper.now
    #expect(try await record(message(assignment, "snoozed", Array(#"{"for_ms":-5}"#.utf8), books), books).isEmpty)
    let held = try #require(try await books.job(assignment.job))
    #expect(try #require(held.notBefore) >= began + SnoozeLimits.shortest)
    let text = try #require(try await books.bookkeeper.explain(assignment.job)?.reasons.first?.text)
    #expect(text.contains("1 of at most 10000 times"), "\(text)")
    try books.ledger.write { ledger in
      for _ in 2...SnoozeLimits.ofJob {
        let snooze = AttemptRecord(
          number: 1, worker: nil, startedAt: nil, endedAt: books.now, end: .snoozed, failure: nil)
        try ledger.record(snooze, of: held.number)
      }
    }
    try await books.lookAtClock(after: .seconds(10))
    assignment = try #require(try await books.told().assignments.first)
    try await books.record(books.report(assignment, .snoozed))
    #expect(try await books.failure(assignment.job) == JobFailure.Code.snoozeLimit)
  }

  @Test("claims and presences that cannot be used change nothing, and their worker is answered")
  func others() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let before = try await books.job(assignment.job)?.progress
    let wrong = FlawedMessage(type: "claims", reason: "release -1 is not between 0 and 9", worker: worker)
    #expect(try await books.bookkeeper.record([.flawed(wrong)]).isEmpty, "it is made again and again: parked nowhere")
    var presence = wrong
    presence.type = "presence"
    try await books.bookkeeper.hear([.flawed(presence)], at: .zero)
    let told = try await books.told()
    #expect(told.refused.map(\.type) == ["claims", "presence"] && told.refused.allSatisfy { $0.release == nil })
    #expect(told.assignments.isEmpty)
    #expect(try await books.job(assignment.job)?.progress == before)
  }
}
