import SystemSupport
import TestSupport
import Testing

@Suite("Plans and events of a client in another language")
struct ForeignPlanTests {
  private static let plan = """
    plans:
      opening:
        department: init
        gates: [work]
        steps:
          - {name: first, rank: 1, kind: noop}
          - {name: last, rank: 3, kind: noop, required: false}
        events:
          - {name: push, rank: 2, kind: noop, when_open: announce}

    """

  @Test("are started, sent, accepted and stopped by messages of pika")
  func messages() async throws {
    let system = try await TellerSystem.onSharedBroker(more: Self.plan)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("init=1")
    let client = try system.launchClient("plans.py")
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    for process in [worker, coordinator] { try await process.close() }
  }
}
