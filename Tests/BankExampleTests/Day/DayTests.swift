import Synchronization
import Teller
import TellerTesting
import Testing
import TestSupport

@testable import BankExample

/// Keeps the news of a day.
private final class Diary: Display {
  private let all = Mutex<[News]>([])
  var news: [News] { all.withLock(\.self) }

  func show(_ news: News?, floor: Floor, clock: Duration) {
    if let news { all.withLock { $0.append(news) } }
  }

  func close() {}
}

@Suite("A day at the bank, on a real broker", .timeLimit(.minutes(10)))
struct DayTests {
  /// As in the bank's file.
  private static let plan = Plan(
    Opening.plan, department: "init", gates: ["deposit", "loan"],
    steps: [
      Plan.Step("user information", kind: InitStep.kind, rank: 1),
      Plan.Step(
        "login", kind: Login.kind, rank: 2,
        reentry: Reentry(on: "session_expired", from: "user information", atMost: 2)),
      Plan.Step("banner", kind: Banner.kind, rank: 3, isRequired: false),
    ], events: [PlanEvent(Opening.push, rank: 2, kind: Push.kind, whenOpen: .announce)])
  private static let steps: [any JobHandler] = [InitStep(), Login(), Banner(), Push()]

  private let pace = Pace(speed: 1_000)

  private func day(_ client: TellerClient, customers: Int) throws -> Day {
    var generator = SeededGenerator(seed: 7)
    return Day(
      client: client, watcher: client, pace: pace, customers: Customer.enter(customers, using: &generator))
  }

  @Test("a deposit gives a receipt")
  func receipt() async throws {
    let receipt = try await TellerTesting.run(Deposit(), Visit(customer: 7, milliseconds: 0))
    #expect(receipt.customer == 7)
    #expect(receipt.attempt == 1)
  }

  @Test("every customer is served, and the steps of the opening run by rank")
  func served() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let (report, visits) = try await TellerTesting.withSystem(
      serving: ["init": Self.steps, "deposit": [Deposit()], "loan": [Loan()]], on: broker, ordered: ["init"],
      plans: [Self.plan]
    ) { system in
      let report = try await day(system.client, customers: 12).play(on: Silence())
      try await system.allEnded()
      let deposits = try await system.submissions(of: Deposit.self).map(\.payload.customer)
      let loans = try await system.submissions(of: Loan.self).map(\.payload.customer)
      return (report, deposits + loans)
    }
    #expect(report.isFlawless)
    #expect(report.served == 12)
    #expect(report.opening == OpeningRecord(steps: 3, byRank: true, ranAgain: 2, passedOver: ["banner"], pushes: 2))
    #expect(visits.sorted() == Array(1...12))
  }

  /// A step of the opening that waits for the test.
  private struct Held: JobHandler {
    static let kind: JobKind = "held"
    let gate: AsyncStream<Void>

    func run(context: JobContext<StepTime>) async throws -> NoResult {
      for await _ in gate {}
      return NoResult()
    }
  }

  @Test("a day that finds the bank opening sees that run to its end, and its push is acted on")
  func underWay() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let (diary, gate) = (Diary(), AsyncStream.makeStream(of: Void.self))
    var plan = Self.plan
    plan.steps = [Plan.Step("held", kind: Held.kind, rank: 1)]
    let report = try await TellerTesting.withSystem(
      serving: ["init": [Held(gate: gate.stream), Push()], "deposit": [Deposit()], "loan": [Loan()]], on: broker,
      ordered: ["init"], plans: [plan]
    ) { system in
      let run = try await system.client.startPlan(Opening.plan, payload: Opening.payload(at: pace))
      try await run.accepted()
      var day = try day(system.client, customers: 6)
      // Nothing but the event lets the customers in.
      day.eventPatience = patience * 10
      return try await withThrowingTaskGroup(of: DayReport.self) { [day] group in
        group.addTask { try await limited("the day") { try await day.play(on: diary) } }
        try await eventually("the day has begun", within: patience) { diary.news.contains(.opening) }
        gate.continuation.finish()
        return try #require(try await group.next())
      }
    }
    #expect(report.isFlawless && report.served == 6 && report.opening.pushes == 2)
    #expect(diary.news.count { $0 == .opened } == 1)
  }

  @Test("a push that finds the bank open already is accepted")
  func latePush() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    var plan = Self.plan
    plan.steps = [Plan.Step("only", kind: InitStep.kind, rank: 1)]
    try await TellerTesting.withSystem(
      serving: ["init": [InitStep(), Push()], "deposit": [Deposit()], "loan": [Loan()]], on: broker, ordered: ["init"],
      plans: [plan]
    ) { system in
      // As `teller plan start opening` starts it: without a payload.
      #expect(try await system.client.startPlan(Opening.plan).outcome().state == .succeeded)
      let push = try await day(system.client, customers: 6).push("offers")
      #expect(try await push.outcome(timeout: patience).state == .succeeded)
      let report = try await day(system.client, customers: 6).play(on: Silence())
      #expect(report.isFlawless && report.opening.pushes == 2)
    }
  }

  @Test("a department that nobody serves is told, with what to do about it")
  func unstaffed() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let diary = Diary()
    try await TellerTesting.withSystem(
      serving: ["init": [], "deposit": [Deposit()], "loan": [Loan()]], on: broker, ordered: ["init"],
      kinds: [InitStep.kind: "init"], plans: [Self.plan]
    ) { system in
      let day = try day(system.client, customers: 3)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await day.play(on: diary) }
        try await eventually("it is told that nobody serves init", within: patience) {
          diary.news.contains(.met(.unstaffed("init")))
        }
        group.cancelAll()
      }
    }
    #expect(News.met(.unstaffed("init")).line.contains("bank worker --department init=1"))
  }
}
