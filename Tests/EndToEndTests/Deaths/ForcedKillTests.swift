import Foundation
import SystemSupport
import TestSupport
import Testing

/// What a supervisor does that does not wait for the end of a long job: SIGTERM, and then SIGKILL.
@Suite("A worker that is killed while it drains", .serialized)
struct ForcedKillTests {
  @Test("is no death of its job's making: the job runs again as the same attempt, and show says why")
  func killed() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    // With one teller: nothing else can have been the cause of its death.
    let doomed = try await system.startWorker("work=1")
    let job = try await system.submitOne("gate")
    try await system.expectRuns(1)
    try await system.expect(["running": 1], of: "work")
    doomed.signal(SIGTERM)
    try await eventually("the coordinator knows of the drain", within: TellerSystem.limit, lastState: { system.logs }) {
      try await system.ask("workers", "--json").objects.contains { $0["draining"] as? Bool == true }
    }
    doomed.signal(SIGKILL)
    #expect(try await doomed.waitForExit(within: TellerSystem.limit) == 128 + SIGKILL)

    var lines: [String] = []
    try await eventually(
      "show says why it was interrupted", within: TellerSystem.limit, lastState: { "\(lines)\n\(system.logs)" }
    ) {
      lines = try await system.ask("show", job).lines
      return lines.contains { $0.hasPrefix("attempt 1") && $0.contains("killed while draining") }
    }
    let attempts = try #require(try await system.show(job)["attempts_made"] as? [[String: any Sendable]])
    #expect(attempts.map { $0["result"] as? String } == ["interrupted"], "\(attempts)")
    #expect((attempts[0]["error"] as? [String: any Sendable])?["error"] as? String == "drained", "\(attempts)")

    let worker = try await system.startWorker("work=1")
    try await system.expectRuns(2)
    try system.openGate()
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])
    #expect(system.effects.map(\.attempt) == [1, 1], "the attempt was used up")
    for process in [worker, coordinator] { try await process.close() }
  }
}
