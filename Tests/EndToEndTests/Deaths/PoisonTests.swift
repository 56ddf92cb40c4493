import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A job that kills its worker each time", .serialized)
struct PoisonTests {
  @Test("ends as failed after its attempts, and the other jobs go on")
  func poison() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let steady = try await system.startWorker("other=2")
    let poison = try await system.submit(1, #"{"kind": "crash", "payload": {}}"#)
    let others = try await system.submit(20, #"{"kind": "noop", "department": "other"}"#)
    let harmless = try await system.submit(20, #"{"kind": "noop", "priority": 1}"#)
    var deaths = 0
    var worker = try system.launchWorker(["work=1"])
    // One death without evidence of a start, then one for each attempt, since a worker with one teller runs nothing else;
    // the last worker serves what is left.
    while deaths < 8 {
      let ended = try await endedOrDone(worker, system, poison[0])
      guard ended else { break }
      deaths += 1
      worker = try system.launchWorker(["work=1"])
    }
    print("the job killed \(deaths) workers")
    let states = try await system.outcomes(of: poison + others + harmless)
    #expect(states[poison[0]] == "failed")
    #expect((others + harmless).allSatisfy { states[$0] == "succeeded" })
    let shown = try #require(try await system.ask("show", poison[0], "--json").objects.first)
    #expect((shown["error"] as? [String: any Sendable])?["error"] as? String == "poison")
    #expect((3...4).contains(deaths))
    for process in [worker, steady, coordinator] { try await process.close() }
  }

  /// True when the worker has died, false when the job has its outcome.
  private func endedOrDone(_ worker: RunningProcess, _ system: TellerSystem, _ job: String) async throws -> Bool {
    try await eventually("the worker dies, or the job ends", within: TellerSystem.longLimit) {
      if worker.exitStatus != nil { return true }
      let shown = try await system.ask("show", job, "--json").objects.first
      return shown?["state"] as? String == "failed"
    }
    return worker.exitStatus != nil
  }
}
