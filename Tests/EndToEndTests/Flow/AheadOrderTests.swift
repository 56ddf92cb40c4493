import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// How many jobs of a lower priority start after an urgent one was released, and before it: those that the worker had
/// taken ahead, and no others.
@Suite("An urgent job and jobs that a worker has taken ahead", .serialized)
struct AheadOrderTests {
  private static let waiting = 40

  @Test(
    "is passed by no more jobs than are taken ahead",
    arguments: [(0, 1), (0, 3), (0, 16), (1, 1), (1, 3), (1, 16), (4, 1), (4, 3), (4, 16)])
  func passed(ahead: Int, tellers: Int) async throws {
    let one = try await passes(ahead: ahead, tellers: tellers, freesAll: false)
    let all = try await passes(ahead: ahead, tellers: tellers, freesAll: true)
    print("ahead \(ahead), \(tellers) tellers: passed by \(one) when one teller becomes free, by \(all) when all do")
    #expect(one <= ahead)
    // Tellers that become free at the same moment start in any order; each starts one job that is not urgent, and keeps it.
    #expect(all <= max(ahead, tellers - 1))
  }

  /// Keeps every teller busy, fills the worker's hands and the queue with jobs that are not urgent and do not end, and lets
  /// tellers go on once the broker has the urgent job: first one or all, then one after the other.
  private func passes(ahead: Int, tellers: Int, freesAll: Bool) async throws -> Int {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {ahead: \(ahead)}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=\(tellers)")
    let busy = try await system.submit(tellers, #"{"kind": "sleep", "priority": 9, "payload": {"ms": 600000}}"#)
    try await system.expect(["running": tellers], of: "work")
    _ = try await system.submit(Self.waiting, #"{"kind": "effect", "priority": 1, "payload": {"ms": 600000}}"#)
    try await system.expectInQueue(Self.waiting - ahead, of: "work")
    let urgent = try await system.submit(1, #"{"kind": "effect", "priority": 9, "payload": {}}"#)[0]
    try await system.expectInQueue(Self.waiting - ahead + 1, of: "work")
    _ = try await system.give(freesAll ? ["cancel", "--kind", "sleep", "--yes"] : ["cancel", busy[0]])
    var started = freesAll ? tellers : 1
    try await system.expectRuns(started)
    while started <= Self.waiting, !system.effects.contains(where: { $0.job == urgent }) {
      _ = try await system.give(["cancel", system.effects[started - 1].job])
      started += 1
      try await system.expectRuns(started)
    }
    let place = try #require(system.effects.map(\.job).firstIndex(of: urgent))
    for process in [worker, coordinator] {
      process.signal(SIGKILL)
      try await process.waitForExit(within: TellerSystem.limit)
    }
    return place
  }
}

extension TellerSystem {
  func give(_ arguments: [String]) async throws -> Ended { try await run("teller", arguments) }

  /// Waits until so many releases wait in the broker: what a worker holds is not among them.
  func expectInQueue(_ count: Int, of department: Department) async throws {
    let connection = try await Connection.patient(to: brokerURL)
    try await eventually("\(count) releases wait in the broker", within: TellerSystem.limit, lastState: { logs }) {
      try await connection.state(of: Topology.Queue.department(department)).messageCount == count
    }
    await connection.close()
  }
}
