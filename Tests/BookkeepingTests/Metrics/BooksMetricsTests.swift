import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import MetricsTestKit
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Metrics of the books")
struct BooksMetricsTests {
  private static let steps = SeededRandom.length(800, long: 2_000)

  private let metrics = TestMetrics()
  private let deposits = [("department", "work"), ("kind", "deposit")]

  private func total(_ name: MetricName, _ dimensions: [(String, String)] = []) -> Int64 {
    metrics.counterTotal(label: name.rawValue, dimensions: dimensions)
  }

  private func ended(_ state: JobState) -> Int64 { total(.jobsEnded, deposits + [("outcome", state.rawValue)]) }

  private func gauge(_ name: MetricName, _ department: String) throws -> Double {
    try #require(try metrics.expectMeter(name.rawValue, [("department", department)]).lastValue)
  }

  /// The gauges say what the status says.
  private func expectGauges(of books: Books, _ place: Comment = "") async throws {
    await books.bookkeeper.showMetrics()
    for status in try await books.bookkeeper.status(broker: .connected, at: .zero).departments {
      let department = status.department.name
      try #require(try gauge(.jobsHeld, department) == Double(status.held), place)
      try #require(try gauge(.jobsRetrying, department) == Double(status.retrying), place)
      try #require(try gauge(.jobsUnsettled, department) == Double(status.unsettled), place)
      try #require(try gauge(.jobsRestored, department) == Double(status.restored), place)
      try #require(try gauge(.jobsQueued, department) == Double(status.queued), place)
      try #require(try gauge(.jobsRunning, department) == Double(status.running), place)
      try #require(try gauge(.tellers, department) == Double(status.tellers), place)
      try #require(try gauge(.tellersStuck, department) == Double(status.stuckTellers), place)
      try #require(try (gauge(.departmentPaused, department) == 1) == status.isPaused, place)
    }
  }

  @Test("a job is counted when it is accepted, for each attempt that fails, and when it ends, with its times")
  func oneJob() async throws {
    let books = try await Books(metrics: metrics)
    let first = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(total(.jobsAccepted, deposits) == 1)
    #expect([.succeeded, .failed, .cancelled].map(ended) == [0, 0, 0])
    try await books.fail(first)
    #expect(total(.attemptsFailed, deposits) == 1 && total(.jobsRetried, deposits) == 1)
    try await books.succeed(try #require(try await books.told().assignments.first))
    #expect([.succeeded, .failed, .cancelled].map(ended) == [1, 0, 0])
    #expect(total(.attemptsFailed) == 1)
    #expect(try metrics.expectTimer(MetricName.jobWait.rawValue, deposits).values.count == 1)
    #expect(try metrics.expectTimer(MetricName.jobRun.rawValue, deposits).values == [10_000_000])
  }

  @Test("the last attempt that fails is no retry; a job that never ran has no times")
  func ends() async throws {
    let books = try await Books(metrics: metrics)
    try await books.fail(try await books.release(Submission(id: JobID(), kind: "deposit")), isPermanent: true)
    let cancelled = try await books.release(Submission(id: JobID(), kind: "deposit"))
    _ = try await books.cancel(cancelled.job)
    #expect([.succeeded, .failed, .cancelled].map(ended) == [0, 1, 1])
    #expect(total(.attemptsFailed) == 1 && total(.jobsRetried) == 0)
    #expect(try metrics.expectTimer(MetricName.jobRun.rawValue, deposits).values.count == 1)
  }

  @Test("what changes nothing is counted as such: a submission that is refused, a report that is stale")
  func refused() async throws {
    let books = try await Books(metrics: metrics)
    let lost = Submission(id: JobID(), kind: "deposit", department: "nowhere")
    _ = try await books.bookkeeper.accept([Incoming(.job(lost))])
    #expect(total(.submissionsRejected, [("code", "unknown_department")]) == 1 && total(.jobsAccepted) == 0)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    try await books.succeed(assignment)
    #expect(total(.reportsIgnored) == 1 && ended(.succeeded) == 1)
  }

  @Test("a turn that could not be recorded counts nothing")
  func failedTurn() async throws {
    let books = try await Books(metrics: metrics)
    let commits = try metrics.expectTimer(MetricName.ledgerCommit.rawValue)
    let before = commits.values.count
    await #expect(throws: LedgerError.self) {
      try await books.bookkeeper.turn { turn in
        let identity = JobIdentity(id: JobID(), kind: "deposit", department: "work")
        turn.changed(JobChange(job: identity, plan: nil, from: nil, to: .held))
        turn.tally.reject("late")
        throw LedgerError.full(path: "a disk")
      }
    }
    #expect(total(.jobsAccepted) == 0 && total(.submissionsRejected) == 0)
    #expect(commits.values.count == before)
  }

  @Test("gauges say how the books stand, and a worker that was silent for its lease is counted and gone")
  func gauges() async throws {
    let books = try await Books(window: 1, metrics: metrics)
    let worker = WorkerID()
    let first = try #require(try await books.fillWork(4).first)
    try await books.present(
      worker, tellers: ["work": 3], stuck: ["work": 1],
      running: [RunningRelease(release: first.release, token: first.token)])
    _ = try await books.bookkeeper.setPaused("init", true)
    try await expectGauges(of: books)
    #expect(try gauge(.jobsHeld, "work") > 0 && gauge(.jobsRunning, "work") == 1 && gauge(.tellers, "work") == 3)
    #expect(try gauge(.tellersStuck, "work") == 1)
    #expect(try gauge(.departmentPaused, "work") == 0 && gauge(.departmentPaused, "init") == 1)
    #expect(try metrics.expectMeter(MetricName.workers.rawValue).lastValue == 1)
    #expect(try metrics.expectMeter(MetricName.ledgerBytes.rawValue).lastValue ?? 0 > 0)
    for second in 1...10 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    await books.bookkeeper.showMetrics()
    #expect(total(.leasesLost) == 1)
    #expect(try gauge(.jobsHeld, "work") > 0)
    await books.bookkeeper.hideMetrics()
    #expect(try gauge(.jobsHeld, "work") == 0 && gauge(.jobsRunning, "work") == 0)
    #expect(try gauge(.departmentPaused, "init") == 0)
    await books.bookkeeper.showMetrics()
    #expect(try gauge(.jobsHeld, "work") > 0)
    #expect(try metrics.expectMeter(MetricName.workers.rawValue).lastValue == 0)
  }

  @Test("notifications are counted until the stream has them, and commits are timed when something was written")
  func outboxAndCommits() async throws {
    let books = try await Books(metrics: metrics)
    try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit")))
    let unsent = try metrics.expectMeter(MetricName.outboxUnsent.rawValue)
    let commits = try metrics.expectTimer(MetricName.ledgerCommit.rawValue)
    // After a start nobody knows how many the ledger has.
    await books.bookkeeper.showMetrics()
    #expect(unsent.lastValue == Double(UnsentNotifications.limit))
    #expect(try await books.bookkeeper.nextNotifications(atMost: 1) != nil)
    await books.bookkeeper.showMetrics()
    #expect(unsent.lastValue == 1)
    try await books.sendNotifications()
    let before = commits.values.count
    #expect(before > 0)
    // It writes nothing.
    try await books.bookkeeper.fillMore()
    await books.bookkeeper.showMetrics()
    #expect(commits.values.count == before)
    #expect(unsent.lastValue == 0)
  }

  @Test("beyond the limit of kinds further jobs are counted together")
  func bounded() async throws {
    let books = try await Books(metrics: metrics)
    let kinds = try (0...JobLabels.limit).map { try #require(JobKind("kind-\($0)")) }
    try await books.accept(kinds.map { Submission(id: JobID(), kind: $0, department: "work") })
    #expect(total(.jobsAccepted) == Int64(kinds.count))
    #expect(total(.jobsAccepted, [("department", "work"), ("kind", "other")]) == 1)
  }

  @Test("however many kinds are made up, those that the configuration or a worker names keep their own series")
  func named() async throws {
    let books = try await Books(metrics: metrics)
    let madeUp = try (0..<200).map { try #require(JobKind("made-up-\($0)")) }
    try await books.accept(madeUp.map { Submission(id: JobID(), kind: $0, department: "work") })
    try await books.present(WorkerID(), tellers: ["work": 1], kinds: ["letter"])
    // Of the configuration, of a worker, and with the name of a department.
    for (kind, department) in [("deposit", "work"), ("vault", "capped"), ("letter", "work"), ("work", "work")] {
      let kind = try #require(JobKind(kind))
      try await books.accept(Submission(id: JobID(), kind: kind, department: Department(department)))
      #expect(total(.jobsAccepted, [("department", department), ("kind", kind.name)]) == 1, "\(kind)")
    }
    #expect(
      total(.jobsAccepted, [("department", "work"), ("kind", "other")]) == Int64(madeUp.count - JobLabels.limit))
    // A kind that is named later has its own series from then on.
    let late = madeUp[199]
    try await books.takeOver { $0.kinds[late] = KindSettings(department: "work") }
    try await books.accept(Submission(id: JobID(), kind: late, department: "work"))
    #expect(total(.jobsAccepted, [("department", "work"), ("kind", late.name)]) == 1)
  }

  @Test("everything in the configuration that names a kind counts")
  func namedKinds() throws {
    var configuration = CoordinatorConfiguration(departments: ["desk": .init()], kinds: ["a": .init()])
    let schedule = CronSchedule(name: "s", expression: try CronExpression("0 3 * * *"), timeZone: .utc, kind: "b")
    configuration.schedules = [try #require(schedule)]
    configuration.rules = [Rule("r", on: EventFilter(events: ["failed"]), submit: RuleJob("c"))]
    let plan = PlanDefinition(
      name: "p", department: "desk", steps: [PlanStep(name: "one", kind: "d", rank: 1)],
      events: [PlanEvent("e", rank: 2, kind: "f")])
    configuration.plans = ["p": PlanSettings(plan, startOn: .command)]
    #expect(configuration.namedKinds == ["a", "b", "c", "d", "f", "desk"])
  }

  @Test(
    "what was counted of random steps is what a watcher was told, and what the status says",
    .timeLimit(.minutes(5)))
  func random() async throws {
    let random = SeededRandom(for: "metrics")
    let watching = Watching()
    var state = try await RandomBooks(seed: random.seed, watching: watching, metrics: metrics)
    var (accepted, ended): (Int64, [JobState: Int64]) = (0, [:])
    // Few of the steps make an attempt fail for good: it goes on until one has.
    var hasSeenAll: Bool { total(.jobsRetried) > 0 && total(.attemptsFailed) > total(.jobsRetried) }
    for step in 1...BooksMetricsTests.steps * 10 {
      if step > BooksMetricsTests.steps, hasSeenAll { break }
      let name = try await state.step()
      for change in watching.takeAll() {
        if change.from == nil { accepted += 1 }
        if change.to.isFinal { ended[change.to, default: 0] += 1 }
      }
      let place: Comment = "seed \(random.seed), step \(step): \(name)"
      try #require(total(.jobsAccepted) == accepted, place)
      for state in JobState.allCases where state.isFinal {
        try #require(total(.jobsEnded, [("outcome", state.rawValue)]) == ended[state] ?? 0, place)
      }
      try #require(total(.jobsRetried) <= total(.attemptsFailed), place)
      try await expectGauges(of: state.books, place)
    }
    #expect(hasSeenAll)
  }
}
