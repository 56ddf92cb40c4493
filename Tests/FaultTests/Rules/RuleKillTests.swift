import Foundation
import SystemSupport
import TestSupport
import Testing

/// A rule on every outcome of a kind, while the coordinator is killed with kill -9 at each point of the flow between the
/// notification and the job of the rule. So many notifications: `TELLER_TEST_RULES=1000`; without the variable a few.
@Suite("A rule, when the coordinator is killed between the notification and the job")
struct RuleKillTests {
  static let variable = "TELLER_TEST_RULES"
  private static let notifications = ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? 28

  /// The points, in the order in which the flow passes them: the report comes; the rule has made its job, and nothing is
  /// recorded; both are; the job is published; the stream has the notification.
  private static let points = [
    "recorder.before-record", "rules.before-record", "recorder.after-record-before-ack", "releaser.before-publish",
    "releaser.after-confirm", "notifier.after-confirm-before-record",
  ]

  @Test("makes one job of each notification, which runs once")
  func points() async throws {
    let system = try await TellerSystem.onSharedBroker(
      more: "rules: {trace: {on: {event: succeeded, kind: noop}, submit: {kind: effect, payload: {of: '${job}'}}}}\n")
    var coordinator = try await system.startCoordinator()
    _ = try await system.startWorker("work=4")
    var jobs: [String] = []
    let wave = Self.notifications / (Self.points.count + 1)
    for point in Self.points {
      coordinator.signal(SIGKILL)
      try await coordinator.waitForExit(within: TellerSystem.limit)
      let doomed = try system.launch("teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": point])
      async let accepted = system.submit(wave, #"{"kind": "noop"}"#)
      try await doomed.expectEnd(with: 128 + SIGKILL)
      coordinator = try await system.startCoordinator()
      jobs += try await accepted
    }
    jobs += try await submitWhileKilled(Self.notifications - jobs.count, system, &coordinator)
    #expect(Set(jobs).count == Self.notifications)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    try await expectOneJob(of: jobs, system)
    for process in system.processes.map(\.process) { try await process.close() }
  }

  /// The last ones: the coordinator is killed at any moment.
  private func submitWhileKilled(
    _ count: Int, _ system: TellerSystem, _ coordinator: inout RunningProcess
  ) async throws -> [String] {
    async let accepted = system.submit(count, #"{"kind": "noop"}"#)
    let before = system.effects.count
    try await eventually("a rule has made a job", within: TellerSystem.limit, lastState: { system.logs }) {
      system.effects.count > before
    }
    coordinator.signal(SIGKILL)
    try await coordinator.waitForExit(within: TellerSystem.limit)
    coordinator = try await system.startCoordinator()
    return try await accepted
  }

  private func expectOneJob(of causes: [String], _ system: TellerSystem) async throws {
    try await eventually("the jobs of the rule have run", within: TellerSystem.longLimit, lastState: { system.logs }) {
      Set(system.effects.map(\.job)).count >= causes.count
    }
    let made = system.effects.map(\.job)
    #expect(made.count == causes.count && Set(made).count == causes.count, "each job of the rule runs once")
    let ended = try await system.outcomes(of: made)
    #expect(ended.count == causes.count && Set(ended.values) == ["succeeded"])
    let recorded = try await system.jobs(ofKind: "effect", count: causes.count)
    #expect(Set(recorded) == Set(made), "the ledger has no other job of the rule")
    // Each has its own cause: asked of a few, since each is a command.
    for job in made.prefix(5) {
      let shown = try await system.ask("show", job, "--json")
      #expect(shown.objects.first?["rule"] as? String == "trace")
      #expect((shown.objects.first?["cause"] as? String).map(causes.contains) == true)
    }
  }
}

extension TellerSystem {
  /// The ids of all jobs of a kind.
  fileprivate func jobs(ofKind kind: String, count: Int) async throws -> [String] {
    try await ask("jobs", "--kind", kind, "--limit", "\(count + 1)", "--json").objects.compactMap {
      $0["id"] as? String
    }
  }
}
