import JobModel
import Synchronization
import Teller
import TellerTesting
import TestSupport
import Testing

/// How many handlers work, and how many did at most.
private final class Workplace: Sendable {
  private let counts = Mutex((now: 0, most: 0))
  var most: Int { counts.withLock(\.most) }

  func begin() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func end() { counts.withLock { $0.now -= 1 } }

  /// Works for a moment, so that another one is seen beside it.
  func work() async {
    begin()
    for _ in 0..<50 { await Task.yield() }
    end()
  }
}

/// Counts down by jobs of its own kind and department, and waits for each.
private struct CountDown: JobHandler {
  static let kind: JobKind = "count-down"
  struct Payload: Codable, Sendable {
    var left: Int
    var key: String?
    var department: Department = "shop"
    var limit = 600
  }

  let client: TellerClient
  let workplace: Workplace

  func run(context: JobContext<Payload>) async throws -> Int {
    await workplace.work()
    guard context.payload.left > 0 else { return 0 }
    var payload = context.payload
    payload.left -= 1
    var next = try JobSubmission(CountDown.self, payload, department: payload.department, id: context.id(of: "next"))
    next.key = payload.key
    next.keyWindow = payload.key == nil ? nil : .whileLive
    let below = try await context.value(of: next, through: client, within: .seconds(payload.limit))
    await workplace.work()
    return below + 1
  }
}

@Suite("Handlers that wait for jobs of their own department", .timeLimit(.minutes(10)))
struct WaitingSystemTests {
  private func withShop(
    ordered: Set<Department> = [], also departments: [Department] = [],
    _ body: @escaping @Sendable (TestSystem, Workplace) async throws -> Void
  ) async throws {
    let workplace = Workplace()
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(
      serving: { client in
        let served: [Department: [any JobHandler]] = ["shop": [CountDown(client: client, workplace: workplace)]]
        return departments.reduce(into: served) { $0[$1] = [] }
      }, on: broker, tellers: 1, ordered: ordered
    ) { try await body($0, workplace) }
  }

  @Test("with one teller a job waits for a job that waits for a job, and all of them end")
  func oneTeller() async throws {
    try await withShop { system, workplace in
      let job = try await system.client.submit(CountDown.self, .init(left: 3), department: "shop")
      #expect(try await job.value(timeout: TestSystem.patience) == 3)
      #expect(workplace.most == 1)
    }
  }

  @Test("more jobs wait than one teller may be lent for: some run again later, and never do two work at once")
  func many() async throws {
    try await withShop { system, workplace in
      let jobs = try (0..<20).map { _ in try JobSubmission(CountDown.self, .init(left: 2), department: "shop") }
      let handles = try await system.client.submit(contentsOf: jobs)
      for handle in handles { #expect(try await handle.value(timeout: .seconds(120)) == 2) }
      #expect(workplace.most == 1)
    }
  }

  @Test("in an ordered department, and for itself by its key, a job is told at once that it would wait for ever")
  func refused() async throws {
    try await withShop(ordered: ["shop"]) { system, _ in
      let job = try await system.client.submit(CountDown.self, .init(left: 1), department: "shop")
      let failure = try #require(try await job.outcome(timeout: TestSystem.patience).failure)
      #expect(failure.code == JobFailure.Code.deadlock)
      #expect(failure.message.contains("the department shop is ordered"))
    }
    try await withShop { system, _ in
      var job = try JobSubmission(CountDown.self, .init(left: 1, key: "same"), department: "shop")
      (job.key, job.keyWindow) = ("same", .whileLive)
      let outcome = try await system.client.submit(job).outcome(timeout: TestSystem.patience)
      #expect(outcome.failure?.code == JobFailure.Code.deadlock)
      #expect(outcome.failure?.message.contains("it would wait for itself") == true)
    }
  }

  @Test("a wait for a job that nobody serves ends with its limit, and says why")
  func late() async throws {
    try await withShop(also: ["empty"]) { system, _ in
      let payload = CountDown.Payload(left: 1, department: "empty", limit: 30)
      let job = try await system.client.submit(CountDown.self, payload, department: "shop", attempts: 1)
      let failure = try #require(try await job.outcome(timeout: patience).failure)
      #expect(failure.message.contains("no worker"), "\(failure)")
    }
  }

  @Test("a drain does not wait for a job that nobody may serve any more: the one that waits runs again later")
  func drains() async throws {
    try await withShop(also: ["empty"]) { system, _ in
      let payload = CountDown.Payload(left: 1, department: "empty")
      let job = try await system.client.submit(CountDown.self, payload, department: "shop", attempts: 1)
      _ = try await system.submission(of: CountDown.self) { $0.left == 0 }
      await system.worker?.drain()
      try await eventually("the job is held, to run again", within: TestSystem.patience) {
        try await system.client.job(job.id).state == .held
      }
      #expect(try await system.client.job(job.id).outcome == nil)
    }
  }
}
