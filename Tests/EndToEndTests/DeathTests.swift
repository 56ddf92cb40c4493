import Foundation
import SystemSupport
import TestSupport
import Testing

/// Coordinators that die, as by `kill -9`, at named points of the flow; only debug builds have those points.
@Suite("A coordinator that dies at a point of the flow", .serialized)
struct DeathTests {
  /// How often the coordinator dies before it could record anything: more often than any default delivery limit.
  private static let deaths = 30

  @Test("thirty deaths of the coordinator before it could record anything lose no submission")
  func thirtyDeaths() async throws {
    let system = try await TellerSystem.onSharedBroker()
    // The first one declares what lasts.
    let first = try await system.startCoordinator()
    try await first.close()
    let batch = try system.beginSubmitting(20, payload: "{}")
    for death in 1...DeathTests.deaths {
      let doomed = try system.launch(
        "teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": "intake.before-record"])
      let status = try await doomed.waitForExit(within: TellerSystem.longLimit)
      #expect(status == 128 + SIGKILL, "death \(death): \(doomed.text(of: .standardError).suffix(5))")
    }
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [])
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test(
    "a coordinator that dies there leaves every job one outcome, and nothing runs twice",
    arguments: [
      "intake.after-record-before-ack", "releaser.before-publish", "releaser.after-confirm", "recorder.before-record",
      "recorder.after-record-before-ack",
    ])
  func coordinatorDies(at point: String) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    try await first.close()
    let batch = try system.beginSubmitting(50, payload: #"{"ms": 5}"#)
    let doomed = try system.launch("teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": point])
    #expect(try await doomed.waitForExit(within: TellerSystem.longLimit) == 128 + SIGKILL)
    let coordinator = try await system.startCoordinator()
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [])
    for process in [worker, coordinator] { try await process.close() }
  }
}
