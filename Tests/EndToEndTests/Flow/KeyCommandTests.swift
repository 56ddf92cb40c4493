import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A key, from the command line")
struct KeyCommandTests {
  private let key = ["--kind", "gate", "--key", "A-17"]

  @Test("has its outcome for whoever asks: before, while and after its job runs, and after a reset not any more")
  func outcome() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    #expect(try await system.ask(["outcome"] + key).status == 67, "nobody has used it")
    let early = Task {
      try await system.ask(["outcome", "--wait", "--within", "280s"] + key, within: TellerSystem.longLimit)
    }
    let job = try await submit(system)
    try await system.expectRuns(1)
    let running = try await system.ask(["outcome"] + key)
    #expect(running.status == 2 && running.errors.joined().contains("no outcome yet"), "\(running)")
    let again = try await system.teller("submit", "gate", "--key", "A-17", "--json")
    #expect(again.objects.contains { $0["duplicate_of"] as? String == job })
    try system.openGate()
    #expect(try await early.value.lines.first?.hasPrefix("\(job) succeeded") == true)

    // Free in the transaction in which its job ended, also for the next coordinator, and the outcome is there.
    coordinator.signal(SIGKILL)
    try await coordinator.waitForExit(within: TellerSystem.limit)
    let next = try await system.startCoordinator()
    let kept = try await system.ask(["outcome", "--json"] + key)
    #expect(kept.status == 0 && kept.objects.first?["job"] as? String == job)
    #expect(kept.objects.first?["taken"] as? Bool == false)
    #expect(try await system.ask("keys").lines.isEmpty)

    system.closeGate()
    let second = try await submit(system)
    try await system.expectRuns(2)
    #expect(try await system.ask("keys", "list", "-k", "gate").lines.first?.contains(second) == true)
    let reset = try await system.teller("keys", "reset", "gate", "A-17")
    #expect(reset.status == 0 && reset.lines.joined().contains("1 cancelled"), "\(reset)")
    #expect(try await system.ask(["outcome"] + key).status == 67)
    #expect(try await system.ask("wait", second).status == 1)
    #expect(try await system.ask("keys", "show", "gate", "A-17").lines.joined().contains("nobody has used the key"))
    try system.openGate()
    let third = try await submit(system)
    #expect(try await system.ask(["outcome", "--wait"] + key).lines.first?.hasPrefix("\(third) succeeded") == true)
    #expect(try await system.teller("keys", "reset", "gate", "--all").status == 64, "nobody can be asked")
    #expect(try await system.teller("keys", "reset", "gate", "--all", "--yes").status == 0)
    #expect(try await system.ask(["outcome"] + key).status == 67)
    for process in [worker, next] { try await process.close() }
  }

  private func submit(_ system: TellerSystem) async throws -> String {
    try await system.submitOne("gate", "--key", "A-17", "--key-window", "while-live")
  }
}
