import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import AMQP
@testable import Bookkeeping

/// What others do, as the bookkeeper hears of it.
extension Books {
  func accept(_ submissions: Submission...) async throws { try await accept(submissions) }

  func accept(_ submissions: [Submission]) async throws {
    let incoming = submissions.map { Incoming(.job($0)) }
    #expect(try await bookkeeper.accept(incoming).isEmpty)
  }

  /// Accepts a job, and returns what releases it.
  func release(_ submission: Submission) async throws -> Assignment {
    try await accept(submission)
    return try #require(try await told().assignments.first { $0.job == submission.id })
  }

  /// Accepts as many jobs as `work` has room for, and returns their releases.
  func fillWork(_ count: Int) async throws -> [Assignment] {
    try await accept((0..<count).map { _ in Submission(id: JobID(), kind: "deposit") })
    return try await told().assignments
  }

  func report(
    _ assignment: Assignment, _ result: AttemptResult, hint: RetryHint? = nil, by worker: WorkerID = WorkerID()
  ) -> ReportMessage {
    .report(
      Report(
        release: assignment.release, token: assignment.token, ledger: ledger.id, worker: worker,
        startedAgo: .milliseconds(20), ran: .milliseconds(10), result: result, hint: hint))
  }

  func record(_ messages: ReportMessage...) async throws { #expect(try await bookkeeper.record(messages).isEmpty) }

  func succeed(_ assignments: Assignment...) async throws {
    #expect(try await bookkeeper.record(assignments.map { report($0, .done) }).isEmpty)
  }

  func fail(_ assignment: Assignment, isPermanent: Bool = false) async throws {
    try await record(report(assignment, isPermanent ? .hopeless : .broken))
  }

  func drop(_ release: ReleaseID, by worker: WorkerID = WorkerID()) async throws {
    try await record(.dropped(UnstartedRelease(release: release, ledger: ledger.id, worker: worker)))
  }

  /// A worker without a handler gives it back.
  func giveBack(_ release: ReleaseID, by worker: WorkerID) async throws {
    try await record(.returned(UnstartedRelease(release: release, ledger: ledger.id, worker: worker)))
  }

  func claim(_ release: ReleaseID, by worker: WorkerID, number: Int = 1, attempts: Int? = nil) async throws {
    let claim = ClaimRequest(
      release: release, ledger: ledger.id, worker: worker, number: number, attempts: attempts)
    try await record(.claims([claim]))
  }

  func adopt(_ assignment: Assignment, by worker: WorkerID) async throws {
    try await record(
      .adopt(
        AdoptionRequest(release: assignment.release, token: assignment.token, ledger: ledger.id, worker: worker)))
  }

  /// Fences come back, and those that follow from them, until none is left; returns all that was told meanwhile.
  func returnFences(in first: [Outgoing]) async throws -> [Outgoing] {
    var (told, news) = (first, first)
    while !news.fences.isEmpty {
      for number in news.fences { try await record(.fence(number: number, ledger: ledger.id)) }
      news = try await self.told()
      told += news
    }
    return told
  }

  func present(
    _ worker: WorkerID, session: Int = 1, tellers: [String: Int] = ["work": 2], kinds: Set<JobKind>? = nil,
    beside: [String: [JobKind: Int]] = [:], ahead: [String: Int] = [:], paused: [String] = [],
    stuck: [String: Int] = [:], probe: Int = 0,
    running: [RunningRelease] = [], waiting: [WaitingRelease] = [], isDraining: Bool = false, drainMs: Int64? = nil,
    isGoodbye: Bool = false,
    at now: Duration = .zero
  ) async throws {
    var presence = Presence(
      worker: worker, session: session, name: "desk-\(worker.text.prefix(4))", tellers: tellers, kinds: kinds,
      beside: beside, ahead: ahead, paused: paused, stuck: stuck, ledger: ledger.id, probe: probe, running: running,
      waiting: waiting, isDraining: isDraining, isGoodbye: isGoodbye)
    presence.drainMs = drainMs
    try await bookkeeper.hear([.presence(presence)], at: now)
  }

  func cancel(_ ids: JobID...) async throws -> JobChanges {
    try await bookkeeper.cancel(ids, because: .cancelled(by: "an operator"))
  }

  func rerank(_ id: JobID, _ priority: Priority) async throws -> Result<JobPlace, JobFailure>? {
    try await bookkeeper.rerank(RerankOrder(job: id, priority: priority), .test)
  }

  /// Does all chores there are; how many turns of them there were.
  @discardableResult
  func doChores(atMost limit: Int = 1_000) async throws -> Int {
    for turn in 1...limit where try await !bookkeeper.doChores() { return turn }
    Issue.record("the chores do not end")
    return limit
  }

  /// The broker has the notifications, so that what they tell of may be removed.
  func sendNotifications() async throws {
    while let batch = try await bookkeeper.nextNotifications(atMost: 500) { await bookkeeper.sent(batch) }
    try await bookkeeper.recordMarks()
  }

  /// Removes what has ended for long enough.
  func retain() async throws {
    try await sendNotifications()
    await bookkeeper.beginRetention()
    try await doChores()
  }
}

extension AttemptResult {
  static let done = AttemptResult.succeeded(result: [1], contentType: nil)
  static let broken = AttemptResult.failed(JobFailure(code: "broken", message: "it broke"), isPermanent: false)
  static let snoozed = AttemptResult.snoozed(.seconds(30))
  static let discarded = AttemptResult.discarded(JobFailure(code: "discarded", message: "nothing is to be done"))
  static let hopeless = AttemptResult.failed(JobFailure(code: "hopeless", message: "it cannot be"), isPermanent: true)
}

extension AnswerAddress {
  static let test = AnswerAddress(replyTo: "teller.reply.test", correlationID: "a")
}

extension ReplyAddress {
  static let test = ReplyAddress(replyTo: "teller.reply.test", correlationID: "c", wait: .outcome)
  static let other = ReplyAddress(replyTo: "teller.reply.other", correlationID: "o", wait: .outcome)
}

extension Delivery {
  static let empty = Delivery(
    consumerTag: "", deliveryTag: 1, isRedelivered: false, exchange: "", routingKey: "",
    properties: MessageProperties(), body: .bytes([]))
}

extension RetentionSettings {
  /// Whatever has ended is removed, even if that was in this very millisecond.
  static let everything = RetentionSettings(time: .seconds(-60))
}
