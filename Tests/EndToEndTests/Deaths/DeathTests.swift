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
      "recorder.after-record-before-ack", "early.after-record",
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

  @Test("a command about many jobs, recorded by a coordinator that died before it could answer, is begun once")
  func commandOnce() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await system.startCoordinator()
    let jobs = try await system.submit(3, #"{"kind": "noop"}"#)
    try await first.close()
    let doomed = try system.launch(
      "teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": "admin.after-record-before-ack"])
    try await doomed.waitForLine(containing: "serving", within: TellerSystem.limit)
    let command = try system.launch("teller", ["cancel", "--department", "work", "--yes", "--no-wait"])
    #expect(try await doomed.waitForExit(within: TellerSystem.longLimit) == 128 + SIGKILL)
    let coordinator = try await system.startCoordinator()
    // It has its answer from the second one, or gave up before: that is recorded all the same.
    _ = try await command.waitForExit(within: TellerSystem.limit)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["cancelled"])
    let operation = try await system.object("operation", "1")
    #expect(operation["changed"] as? Int == 3)
    // What is redelivered comes before it.
    #expect(try await system.object("cancel", "--department", "work", "--yes")["id"] as? Int == 2)
    try await coordinator.close()
  }
}
