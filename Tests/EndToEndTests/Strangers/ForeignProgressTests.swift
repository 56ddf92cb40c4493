import SystemSupport
import TestSupport
import Testing

@Suite("How far a job has come, said by a worker in another language")
struct ForeignProgressTests {
  @Test("is relayed to a client of pika, and shown until the job has ended")
  func messages() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let client = try system.launchClient("progress.py")
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    try await coordinator.close()
  }
}
