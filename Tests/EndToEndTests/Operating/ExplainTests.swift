import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("teller explain", .serialized)
struct ExplainTests {
  private static let departments = """
    work: {}, other: {}, small: {window: 1}, capped: {cap: 1}, empty: {}, init: {ordered: true}
    """

  /// A system in which some jobs run until the gate is opened: one in `capped`, one in `init`, one in `other`.
  private struct Busy {
    let system: TellerSystem
    let gated: [String: String]
    let processes: [RunningProcess]

    init() async throws {
      system = try await TellerSystem.onSharedBroker(
        departments: ExplainTests.departments, kinds: ["fail": "retry: {first: 1h, max: 1h, jitter: 0}"])
      let coordinator = try await system.startCoordinator()
      let worker = try await system.startWorker(grace: 0.2, "work=2", "other=1", "capped=2", "init=1")
      processes = [worker, coordinator]
      var gated: [String: String] = [:]
      for department in ["capped", "init", "other"] {
        gated[department] = try await system.submitOne("gate", "--department", department)
      }
      self.gated = gated
      try await system.expectRuns(3)
    }
  }

  @Test("names for each job what holds it, what it waits for, and what lifts that")
  func everyHold() async throws {
    let busy = try await Busy()
    let system = busy.system
    try await held(system, busy.gated)
    try await released(system, busy.gated)
    try await ended(system)
    try system.openGate()
    for process in busy.processes { try await process.close() }
  }

  private func held(_ system: TellerSystem, _ gated: [String: String]) async throws {
    let scheduled = try await system.submitOne("noop", "--delay", "1h")
    let schedule = try await system.expectHolds("schedule", of: scheduled)
    #expect(schedule.contains { $0.contains(" until ") && $0.contains("(in 59 min") })

    let failing = try await system.submitOne("fail")
    let retry = try await system.expectHolds("retry", of: failing)
    #expect(retry.contains { $0.contains("attempt 1 of 3 failed with asked_to_fail") })

    #expect(try await system.ask("pause", "empty").status == 0)
    let paused = try await system.submitOne("noop", "--department", "empty", "--delay", "1h")
    let two = try await system.expectHolds("schedule", "paused", of: paused)
    #expect(two.contains { $0.contains("`teller resume empty`") })
    #expect(try await system.ask("resume", "empty").status == 0)

    let many = try await system.submit(4, #"{"kind": "noop", "department": "small"}"#)
    try await system.expectHolds("window", of: many[3])
    let capped = try await system.submitOne("noop", "--department", "capped")
    #expect(try await system.expectHolds("cap", of: capped).contains { $0.contains("`cap:`") })

    let ordered = try await system.submitOne("noop", "--department", "init")
    let first = try #require(gated["init"])
    #expect(try await system.expectHolds("order", of: ordered).contains("            job \(first)"))
    let dependent = try await system.submitOne("noop", "--after", first)
    #expect(try await system.expectHolds("after", of: dependent).contains("            job \(first)"))
    let early = try await system.submitOne("noop", "--after", UUID().uuidString)
    let unsubmitted = try await system.expectHolds("after", "after", of: early)
    #expect(unsubmitted.contains { $0.contains("with unknown_dependency") })
    #expect(unsubmitted.contains { $0.contains(" until ") && $0.contains("(in 9 min") })
  }

  private func released(_ system: TellerSystem, _ gated: [String: String]) async throws {
    let unserved = try await system.submitOne("noop", "--department", "empty")
    try await system.expectHolds("no_teller", of: unserved)
    let queued = try await system.submitOne("noop", "--department", "other", "--priority", "7")
    #expect(try await system.expectHolds("queue", of: queued).contains { $0.contains("priority 7") })
    let running = try await system.expectHolds("running", of: try #require(gated["capped"]))
    #expect(running.contains { $0.contains("attempt 1 of 3 runs on ") })
    let hanging = try await system.submitOne("hang", "--timeout", "200ms")
    #expect(
      try await system.expectHolds("stuck", of: hanging).contains {
        $0.contains("its timeout of 200 ms has passed")
      })
    let cancelled = try await system.submitOne("hang")
    try await system.expectHolds("running", of: cancelled)
    #expect(try await system.ask("cancel", cancelled).status == 0)
    #expect(try await system.expectHolds("ended", of: cancelled).contains { $0.contains("cancelled by an operator") })
  }

  private func ended(_ system: TellerSystem) async throws {
    let failed = try await system.submitOne("noop", "--department", "empty", "--start-within", "100ms")
    _ = try await system.outcomes(of: [failed])
    #expect(try await system.expectHolds("ended", of: failed).contains { $0.contains("`teller replay \(failed)`") })
    let unknown = try await system.ask("explain", UUID().uuidString)
    #expect(unknown.status == 66)
  }
}
