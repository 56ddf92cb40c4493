import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Workers that are replaced by others of another version", .serialized)
struct RollingDeployTests {
  /// `TELLER_TEST_DEPLOY_RATE` jobs are submitted each second.
  private static let rate = Int(ProcessInfo.processInfo.environment["TELLER_TEST_DEPLOY_RATE"] ?? "") ?? 40
  private static let workers = 3

  @Test("a job that meets a worker without its handler goes to one that has it, and no attempt is counted")
  func oneOfTwoKnows() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    // Released before any worker has said which kinds it knows: the first one gives it back.
    let first = try await system.submitOne("salute", "--payload", #"{"name":"Ada"}"#, "--attempts", "1")
    let old = try await system.startWorker("work=2")
    let line = try await old.waitForLine(containing: "job \(first) goes back", within: TellerSystem.limit)
    #expect(line.contains(#"has no handler for kind "salute" in department work, only for "#), "\(line)")
    print(line)
    let held = try await system.expectHolds("handler", of: first)
    #expect(held.contains { $0.contains(#"no worker of department "work" has a handler for kind "salute""#) })
    let new = try await system.startWorker("work=2", options: ["--salute", "1"])
    let ids = try await system.submit(100, #"{"kind": "salute", "payload": {"name": "Ada"}}"#)
    try await system.expect(["succeeded": 101, "failed": 0], of: "work")
    #expect(Set(system.effects.map(\.job)) == Set(ids + [first]))
    #expect(system.effects.allSatisfy { $0.pid == new.pid && $0.attempt == 1 } && system.effects.count == 101)
    for process in [old, new, coordinator] { try await process.close() }
  }

  @Test("a kind that nobody serves is held and named, harms no other job, and is served when a worker comes")
  func nobodyKnows() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {window: 10}, other: {}")
    let coordinator = try await system.startCoordinator()
    let old = try await system.startWorker("work=2")
    let greetings = try await system.submit(50, #"{"kind": "salute", "payload": {"name": "Ada"}}"#)
    let waving = try await system.submit(50, #"{"kind": "wave", "payload": {}}"#)
    try await system.expect(["succeeded": 50, "held": 50, "unserved": 50], of: "work")
    #expect(Set(system.effects.map(\.job)) == Set(waving))
    let status = try await system.ask("status").lines
    let line = try #require(status.first { $0.hasPrefix("handler: ") })
    #expect(line.hasPrefix("handler: 50 jobs of kind salute in work: no worker has a handler ("), "\(line)")
    try await coordinator.waitForLine(containing: "no worker has a handler for a kind", within: TellerSystem.limit)
    let new = try await system.startWorker("work=2", options: ["--salute", "2"])
    try await system.expect(["succeeded": 100, "failed": 0, "unserved": 0], of: "work")
    #expect(Set(system.effects.map(\.job)) == Set(greetings + waving))
    for process in [old, new, coordinator] { try await process.close() }
  }

  @Test("a backlog of a kind that few workers know does not hold up the others, and is served in the end")
  func backlog() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {window: 10}")
    let coordinator = try await system.startCoordinator()
    let old = try await system.startWorker("work=2")
    let new = try await system.startWorker("work=1", options: ["--salute", "1"])
    let endless = try await system.submitOne("salute", "--payload", #"{"name": "Ada", "ms": 3600000}"#)
    let greetings = try await system.submit(40, #"{"kind": "salute", "payload": {"name": "Ada"}}"#)
    let waving = try await system.submit(100, #"{"kind": "wave", "payload": {}}"#)
    // Half of the window is theirs, and the reserve of their priority.
    try await system.expect(["succeeded": 100, "unserved": 35], of: "work")
    let held = try await system.expectHolds("handler", of: try #require(greetings.last))
    let part = "so its jobs may have 5 of the department's 10 places, and have 5"
    #expect(held.contains { $0.contains(part) }, "\(held)")
    #expect(try await system.ask("cancel", endless).status == 0)
    try await system.expect(["succeeded": 140, "cancelled": 1, "failed": 0, "unserved": 0], of: "work")
    #expect(Set(system.effects.map(\.job)) == Set([endless] + greetings + waving) && system.effects.count == 141)
    for process in [old, new, coordinator] { try await process.close() }
  }

  @Test("one worker of one teller serves the new kind and the old ones in turns", .timeLimit(.minutes(5)))
  func oneTeller() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let old = try await system.startWorker("other=1")
    let new = try await system.startWorker("work=1", options: ["--salute", "1"])
    let other = try await system.startWorker("work=1")
    let ids = try await system.submit(20, #"{"kind": "salute", "payload": {"name": "Ada"}}"#)
    let waving = try await system.submit(200, #"{"kind": "wave", "payload": {}}"#)
    try await system.expect(["succeeded": 220, "failed": 0], of: "work")
    #expect(system.effects.count == 220 && Set(system.effects.map(\.job)) == Set(ids + waving))
    for process in [old, new, other, coordinator] { try await process.close() }
  }

  /// In which order the workers and those who submit are replaced.
  enum Order: String, CaseIterable, CustomTestStringConvertible {
    case workersFirst = "workers first"
    case producersFirst = "producers first"

    var testDescription: String { rawValue }
  }

  @Test(
    "nothing fails, and nothing is counted that ran nowhere, while one worker after the other is replaced under load",
    arguments: Order.allCases)
  func rollingDeploy(order: Order) async throws {
    // A payload that a worker of the old version cannot read fails its attempt; it takes patience until that is gone.
    let system = try await TellerSystem.onSharedBroker(
      kinds: ["salute": "attempts: 40, retry: {first: 1s, factor: 1.5, max: 5s}"])
    let coordinator = try await system.startCoordinator()
    var old: [RunningProcess] = []
    for _ in 0..<Self.workers { old.append(try await system.startWorker("work=4")) }
    let load = DeployLoad(system, rate: Self.rate)
    try await load.submit(.wave, for: .seconds(1))
    if order == .producersFirst { try await load.submit(.newPayload, for: .seconds(2)) }
    // To a version that knows the new kind, then to one that also reads its new payload.
    var present = old
    for version in ["1", "2"] {
      for index in present.indices {
        async let submitting: Void = load.submit(load.kind(in: order), for: .seconds(2))
        let next = try await system.startWorker("work=4", options: ["--salute", version])
        present[index].signal(SIGTERM)
        #expect(try await present[index].waitForExit(within: TellerSystem.limit) == 0)
        present[index] = next
        try await submitting
      }
    }
    try await load.submit(.newPayload, for: .seconds(1))
    try await system.expect(["succeeded": await load.count, "failed": 0, "held": 0, "queued": 0], of: "work")
    try await load.report(order)
    for process in present + [coordinator] { try await process.close() }
  }
}

/// Jobs that are submitted while workers are replaced.
private actor DeployLoad {
  enum Kind: Sendable {
    case wave, oldPayload, newPayload

    var line: String {
      switch self {
      case .wave: #"{"kind": "wave", "payload": {}}"#
      case .oldPayload: #"{"kind": "salute", "payload": {"name": "Ada"}}"#
      case .newPayload: #"{"kind": "salute", "payload": {"first": "Ada", "last": "Lovelace"}}"#
      }
    }
  }

  /// Each costs two commands.
  private static let tick: Duration = .milliseconds(500)

  private let system: TellerSystem
  private let rate: Int
  private(set) var jobs: [(kind: Kind, id: String)] = []
  var count: Int { jobs.count }

  init(_ system: TellerSystem, rate: Int) { (self.system, self.rate) = (system, rate) }

  /// What is submitted while workers are replaced: jobs of the new kind, which meet workers that lack its handler.
  /// Producers that are replaced first submit its new payload, others when every worker reads that.
  nonisolated func kind(in order: RollingDeployTests.Order) -> Kind {
    order == .producersFirst ? .newPayload : .oldPayload
  }

  /// Half of the jobs are of the kind, half of one that every version knows; so many a second.
  func submit(_ kind: Kind, for seconds: Duration) async throws {
    let ticks = Int(seconds / DeployLoad.tick)
    let clock = ContinuousClock()
    let start = clock.now
    for tick in 0..<ticks {
      for line in [Kind.wave, kind] {
        jobs += try await system.submit(max(1, rate / 4), line.line).map { (line, $0) }
      }
      try await clock.sleep(until: start + DeployLoad.tick * (tick + 1))
    }
  }

  /// Of how many jobs every attempt is looked at: each costs a command.
  private static let shownLimit = 40

  /// Every job ran where it could, and once; an attempt is used up only by a worker that could not read its payload.
  func report(_ order: RollingDeployTests.Order) async throws {
    let runs = Dictionary(grouping: system.effects, by: \.job)
    var attempts: [String: Int] = [:]
    var (longest, unread) = (0, 0)
    let recorded = try await recorded()
    for (kind, id) in jobs {
      #expect(runs[id]?.count == 1, "job \(id) ran \(runs[id]?.count ?? 0) times")
      let job = try #require(recorded[id], "job \(id)")
      let attempt = job["attempt"] as? Int ?? 0
      if kind != .newPayload { #expect(attempt == 1, "\(job)") }
      attempts[id] = attempt
      let accepted = try #require(job["accepted_ms"] as? Int, "\(job)")
      let ended = try #require(job["finished_ms"] as? Int, "\(job)")
      if kind == .newPayload {
        unread = max(unread, ended - accepted)
      } else {
        longest = max(longest, try #require(job["started_ms"] as? Int, "\(job)") - accepted)
      }
    }
    let most = attempts.values.max() ?? 0
    print("\(order.rawValue): \(jobs.count) jobs, most attempts \(most), longest wait \(longest) ms")
    print("of those with the new payload: \(unread) ms at most from acceptance to success")
    for (id, _) in attempts.filter({ $0.value > 1 }).sorted(by: { $0.value > $1.value }).prefix(Self.shownLimit) {
      let made = try await system.show(id)["attempts_made"] as? [[String: any Sendable]] ?? []
      let failed = made.filter { $0["result"] as? String != "succeeded" }
      let codes = failed.map { ($0["error"] as? [String: any Sendable])?["error"] as? String }
      #expect(codes.count == (attempts[id] ?? 0) - 1 && codes.allSatisfy { $0 == "bad_payload" }, "\(id): \(made)")
    }
  }

  /// Everything that the ledger has of every job, page by page.
  private func recorded() async throws -> [String: [String: any Sendable]] {
    var recorded: [String: [String: any Sendable]] = [:]
    var before: [String] = []
    while true {
      let page = try await system.ask(["jobs", "--limit", "1000", "--json"] + before).objects
      for job in page { if let id = job["id"] as? String { recorded[id] = job } }
      guard let last = page.last?["number"] as? Int else { return recorded }
      before = ["--before", "\(last)"]
    }
  }
}
