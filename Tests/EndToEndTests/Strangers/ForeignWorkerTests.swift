import SystemSupport
import TestSupport
import Testing

@Suite("A worker in another language")
struct ForeignWorkerTests {
  @Test(
    "does what it says: progress is told, a failed run is tried again in time, its department paused",
    arguments: ["progress.py", "failing.py"])
  func messages(_ worker: String) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let client = try system.launchClient(worker)
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    try await coordinator.close()
  }
}
