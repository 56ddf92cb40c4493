import SystemSupport
import TestSupport
import Testing

@Suite("A job behind a gate", .serialized)
struct GateTests {
  @Test("tells whoever waits for it once which command lifts the hold, and is served after that command")
  func told() async throws {
    let plan = "opening: {department: init, gates: [work], steps: [{name: only, rank: 1, kind: noop}]}"
    let system = try await TellerSystem.onSharedBroker(more: "plans: {\(plan)}\n")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1", "init=1")
    let submit = try system.launch("teller", ["submit", "noop", "--count", "3", "--wait"])
    let held = try await submit.waitForLine(containing: "teller: held: job ", within: TellerSystem.limit)
    #expect(held.contains("plan \"opening\" is open, which has not been started"), "\(held)")
    #expect(held.hasSuffix("; what lifts it: `teller plan start opening`"), "\(held)")
    #expect(try await system.ask("plan", "start", "opening", "--wait").status == 0)
    #expect(try await submit.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    #expect(submit.text(of: .standardOutput).count { $0.contains(" succeeded") } == 3)
    #expect(submit.text(of: .standardError).count { $0.contains("held: ") } == 1)
    let plain = try await system.ask("submit", "noop", "--wait")
    #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain)")
    for process in [worker, coordinator] { try await process.close() }
  }
}
