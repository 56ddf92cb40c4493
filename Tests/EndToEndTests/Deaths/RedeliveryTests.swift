import Foundation
import SystemSupport
import TestSupport
import Testing

/// After a crash of the broker every message of a classic queue comes back as redelivered, delivered before or not.
@Suite("All messages that come back redelivered")
struct RedeliveryTests {
  private static let count = 200

  @Test("are jobs in their first attempt: none is taken for one that kills its workers, and each runs once")
  func brokerCrash() async throws {
    let broker = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: broker.url)
    let coordinator = try await system.startCoordinator()
    let workers = [try await system.startWorker("work=4"), try await system.startWorker("work=4")]
    try await broker.writeDown()
    let ids = try await system.submit(RedeliveryTests.count, #"{"kind": "gate"}"#)
    try await eventually("some run, the others are in the queue", within: TellerSystem.limit) {
      system.effects.count == 8
    }
    try await broker.kill()
    try await broker.start()
    try system.openGate()
    let back = ContinuousClock.now
    try await system.expectOneOutcomeEach(ids)
    print(
      "all redelivered: \(ids.count) jobs had ended after \(ContinuousClock.now - back)"
    )
    system.expectSecondRunsOnly(after: [])
    #expect(Set(system.effects.map(\.attempt)) == [1])
    let listed = try await system.ask("jobs", "--kind", "gate", "--limit", "\(RedeliveryTests.count)", "--json")
    #expect(listed.objects.count == RedeliveryTests.count)
    #expect(Set(listed.objects.compactMap { $0["attempt"] as? Int }) == [1])
    for process in workers + [coordinator] { try await process.close() }
    try await broker.close()
  }
}
