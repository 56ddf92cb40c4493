import Foundation
import SystemSupport
import TestSupport
import Testing

/// 500 short jobs, and in the middle of them something dies as by `kill -9`.
@Suite("While 500 jobs run", .serialized)
struct KillTests {
  private static let count = 500
  private static let payload = #"{"ms": 20}"#

  /// Submits in the background, and returns when some have run.
  private func begin(_ system: TellerSystem) async throws -> TellerSystem.Submission {
    let batch = try system.beginSubmitting(KillTests.count, payload: KillTests.payload)
    try await eventually("a fifth of the jobs has run", within: TellerSystem.longLimit) {
      system.effects.count > KillTests.count / 5
    }
    return batch
  }

  @Test("a worker that is killed loses nothing, and only what it ran is run again")
  func worker() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let doomed = try await system.startWorker("work=4")
    let survivor = try await system.startWorker("work=4")
    let batch = try await begin(system)
    doomed.signal(SIGKILL)
    let killed = ContinuousClock.now
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [doomed.pid])
    try await system.servesAgain("worker killed", since: killed)
    for process in [survivor, coordinator] { try await process.close() }
  }

  @Test("a coordinator that is killed and started again loses nothing, and nothing runs twice")
  func coordinator() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let doomed = try await system.startCoordinator()
    let workers = [try await system.startWorker("work=4"), try await system.startWorker("work=4")]
    let batch = try await begin(system)
    doomed.signal(SIGKILL)
    try await doomed.waitForExit(within: TellerSystem.limit)
    let killed = ContinuousClock.now
    let coordinator = try await system.startCoordinator()
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [])
    try await system.servesAgain("coordinator killed", since: killed)
    for process in workers + [coordinator] { try await process.close() }
  }

  @Test("a broker that is killed and started again loses nothing, and nothing runs twice")
  func broker() async throws {
    let broker = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: broker.url)
    let coordinator = try await system.startCoordinator()
    let workers = [try await system.startWorker("work=4"), try await system.startWorker("work=4")]
    try await broker.writeDown()
    let batch = try await begin(system)
    try await broker.kill()
    try await broker.start()
    let back = ContinuousClock.now
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.servesAgain("broker killed, since it accepts again", since: back)
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [])
    for process in workers + [coordinator] { try await process.close() }
    try await broker.close()
  }
}
