import Foundation
import SystemSupport
import TestSupport
import Testing

/// The same as for coordinators. A suite of its own, which runs beside theirs: each of its tests waits for a lease.
@Suite("A worker that dies at a point of the flow", .serialized)
struct WorkerDeathTests {
  @Test(
    "leaves every job one outcome, and only what it ran is run again",
    arguments: ["worker.handler-started", "worker.before-report", "worker.after-report-before-ack"])
  func workerDies(at point: String) async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let doomed = try await system.startWorker("work=4", environment: ["TELLER_FAULT_POINT": point])
    let batch = try system.beginSubmitting(50, payload: #"{"ms": 5}"#)
    #expect(try await doomed.waitForExit(within: TellerSystem.longLimit) == 128 + SIGKILL)
    let worker = try await system.startWorker("work=4")
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [doomed.pid])
    for process in [worker, coordinator] { try await process.close() }
  }
}
