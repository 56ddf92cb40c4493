import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("teller cancel", .serialized)
struct CancelTests {
  @Test("takes back a held, a queued and a running job; the ones that waited never run, and their places come back")
  func byID() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 3}, other: {}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker(grace: 0.2, "work=2")
    let gated = try await system.submitOne("gate")
    let slow = try await system.submitOne("slow", "--payload", #"{"ms": 3600000}"#)
    try await system.expectRuns(2)
    let queued = try await system.submitOne("effect", "--payload", "{}")
    let full = try await system.submitOne("effect", "--payload", "{}")
    let delayed = try await system.submitOne("effect", "--payload", "{}", "--delay", "1h")
    try await system.expect(["queued": 1, "running": 2, "held": 2], of: "work")
    let waiting = Task { try await system.teller("wait", slow, "--timeout", "280s") }

    let all = [gated, slow, queued, full, delayed]
    #expect(TellerSystem.ids(try await system.object("cancel", gated, slow, queued, full, delayed)["changed"]) == all)
    #expect(try await waiting.value.status == 1)
    #expect(Set(try await system.outcomes(of: all).values) == ["cancelled"])
    try await eventually("the slow handler was cancelled", within: TellerSystem.limit) {
      system.endings(of: slow) == ["cancelled"]
    }
    try await again(system, gated)
    try await system.expect(["running": 0, "queued": 0, "held": 0, "cancelled": 5, "void": 1], of: "work")
    try system.openGate()
    // Three are released at once again.
    let fresh = try await system.submit(3, #"{"kind": "effect", "payload": {}}"#)
    #expect(Set(try await system.outcomes(of: fresh).values) == ["succeeded"])
    try await system.expect(["void": 0, "cancelled": 5], of: "work")
    #expect(Set(system.effects.map(\.job)) == Set([gated, slow] + fresh))
    for process in [worker, coordinator] { try await process.close() }
  }

  private func again(_ system: TellerSystem, _ cancelled: String) async throws {
    let again = try await system.teller("cancel", cancelled)
    #expect(again.status == 2)
    #expect(again.errors.joined().contains("it has ended"))
    let unknown = try await system.teller("cancel", UUID().uuidString)
    #expect(unknown.status == 66)
    #expect(unknown.errors.joined().contains("knows no such job"))
  }

  @Test("takes back a kind, a department, and with --yes all there are; what comes afterwards runs")
  func groups() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 5}, other: {}")
    let coordinator = try await system.startCoordinator()
    let effects = try await system.submit(20, #"{"kind": "effect", "payload": {}}"#)
    let noops = try await system.submit(3, #"{"kind": "noop"}"#)
    let others = try await system.submit(10, #"{"kind": "effect", "department": "other", "payload": {}}"#)
    let late = try await system.submitOne("effect", "--department", "other", "--payload", "{}", "--delay", "1h")

    try await counted(system)
    let kind = try await system.object("cancel", "-k", "effect", "-d", "work", "-y")
    #expect(kind["changed"] as? Int == 20)
    #expect(kind["finished_ms"] is Int)
    try await system.expect(["cancelled": 20, "void": 5, "held": 3, "queued": 0], of: "work")
    try await system.expect(["cancelled": 0, "queued": 10, "held": 1], of: "other")
    let text = try await system.teller("cancel", "--department", "other", "--yes")
    #expect(text.lines.first?.hasPrefix("cancel of department other: 11 cancelled") == true, "\(text)")

    #expect(try await system.object("cancel", "--all", "--yes")["changed"] as? Int == 3)
    #expect(try await system.object("cancel", "--all", "--yes")["changed"] as? Int == 0)
    #expect(Set(try await system.outcomes(of: effects + noops + others + [late]).values) == ["cancelled"])
    try await withWorkers(system, coordinator)
  }

  /// Without --yes and without a terminal a command about many jobs changes none; with --dry-run it says how many.
  private func counted(_ system: TellerSystem) async throws {
    for scope in [["--all"], ["--kind", "effect"], ["--department", "work"]] {
      for command in ["cancel", "replay", "drop"] {
        let refused = try await system.run("teller", [command] + scope)
        #expect(refused.status == 64, "\(command) \(scope)")
        #expect(refused.errors.joined().contains("--yes"))
      }
    }
    let counted = try await system.teller("cancel", "-k", "effect", "-d", "work", "--dry-run")
    print(counted.lines.joined(separator: "\n"))
    #expect(counted.status == 0, "\(counted.errors)")
    let text = "would cancel all 20 jobs of kind effect in department work (15 held, 5 queued, 0 running)"
    #expect(counted.lines == [text])
    let all = try await system.object("cancel", "--all", "--dry-run", "--yes")
    #expect(all["jobs"] as? Int == 34 && all["held"] as? Int == 19 && all["queued"] as? Int == 15, "\(all)")
    let none = try await system.teller("replay", "--all", "--dry-run")
    #expect(none.lines == ["nothing to replay: no failed job is left"])
    let unknown = try await system.teller("cancel", "-d", "wrok", "--dry-run")
    #expect(unknown.status == 66 && unknown.errors.joined().contains("work"), "\(unknown.errors)")
    try await system.expect(["cancelled": 0, "held": 18, "queued": 5], of: "work")
  }

  /// Nothing that was cancelled runs, and every place is free again.
  private func withWorkers(_ system: TellerSystem, _ coordinator: RunningProcess) async throws {
    let later = try await system.submit(8, #"{"kind": "effect", "payload": {}}"#)
    let worker = try await system.startWorker("work=2", "other=2")
    #expect(Set(try await system.outcomes(of: later).values) == ["succeeded"])
    for department in ["work", "other"] {
      try await system.expect(["void": 0, "queued": 0, "held": 0], of: department)
    }
    try await system.passes(through: "other")
    #expect(system.effects.map(\.job).sorted() == later.sorted())
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("of everything, as a reset, ends open plans too, and asks first")
  func reset() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker(grace: 0.2, "work=1", "init=1")
    let plan = UUID().uuidString.lowercased()
    let steps = #"{"name": "a", "kind": "gate", "rank": 1}, {"name": "b", "kind": "effect", "rank": 2, "payload": {}}"#
    let client = try system.submitByPika([try TellerSystem.plan(plan, steps: steps)])
    try await system.expectRuns(1)
    let slow = try await system.submitOne("slow", "--payload", #"{"ms": 3600000}"#)
    try await system.expectRuns(2)
    let queued = try await system.submitOne("effect", "--payload", "{}")
    let delayed = try await system.submitOne("effect", "--payload", "{}", "--delay", "1h")

    let refused = try await system.teller("reset")
    #expect(refused.status == 64)
    #expect(refused.errors.joined().contains("--yes"))
    #expect(try await system.state(of: queued) == "queued")
    let counted = try await system.object("reset", "--dry-run")
    #expect(counted["jobs"] as? Int == 5 && counted["plans"] as? Int == 1, "\(counted)")
    #expect(try await system.state(of: queued) == "queued")
    let reset = try await system.object("reset", "--yes")
    #expect(reset["changed"] as? Int == 5, "\(reset)")
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    #expect(client.replies.map(\.type) == ["accepted", "cancelled"])
    #expect(Set(try await system.outcomes(of: [slow, queued, delayed]).values) == ["cancelled"])
    try system.openGate()
    for department in ["init", "work"] { try await system.passes(through: department) }
    #expect(system.effects.count == 2)
    try await system.expect(["cancelled": 2, "held": 0, "void": 0, "succeeded": 1], of: "init")
    for process in [worker, coordinator] { try await process.close() }
  }
}
