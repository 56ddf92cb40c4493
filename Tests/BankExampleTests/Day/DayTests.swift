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

  private func day(_ client: TellerClient, customers: Int) throws -> Day {
    var generator = SeededGenerator(seed: 7)
    let pace = Pace(speed: 1_000)
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
        try await eventually("it is told that nobody serves init", within: TestSystem.patience) {
          diary.news.contains(.met(.unstaffed("init")))
        }
        group.cancelAll()
      }
    }
    #expect(News.met(.unstaffed("init")).line.contains("bank worker --department init=1"))
  }
}
