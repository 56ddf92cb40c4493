import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

@Suite("An urgent job", .serialized)
struct PriorityTests {
  /// Keeps every teller busy, fills the queue with what is not urgent, submits one that is, and lets the tellers go on
  /// once the broker has its release. Returns the place at which it was started, from 1.
  private func placeOfUrgent(tellers: Int, waiting: Int, window: Int) async throws -> Int {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {window: \(window)}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=\(tellers)")
    _ = try await system.submit(tellers, #"{"kind": "gate", "priority": 9}"#)
    try await eventually("every teller is busy", within: TellerSystem.limit) { system.effects.count == tellers }
    let low = try await system.submit(waiting, #"{"kind": "effect", "priority": 1, "payload": {"ms": 5}}"#)
    #expect(low.count == waiting)
    let urgent = try await system.submit(1, #"{"kind": "effect", "priority": 9, "payload": {"ms": 5}}"#)
    #expect(urgent.count == 1)
    // What the window and the reserve of its level hold of the others, and the urgent job in the reserve of its own.
    let released = min(waiting, window + window / 10 - tellers) + 1
    try await eventually("\(released) releases wait in the broker", within: TellerSystem.limit) {
      try await countOfReleases(in: "work", at: system.brokerURL) == released
    }
    try system.openGate()
    try await eventually("the urgent job has been started", within: TellerSystem.limit) {
      system.effects.contains { $0.job == urgent[0] }
    }
    let started = system.effects.dropFirst(tellers).map(\.job)
    for process in [worker, coordinator] {
      process.signal(SIGKILL)
      try await process.waitForExit(within: TellerSystem.limit)
    }
    return try #require(started.firstIndex(of: urgent[0])) + 1
  }

  /// As the broker counts them: what a worker holds is not among them.
  private func countOfReleases(in department: Department, at url: String) async throws -> Int {
    let connection = try await Connection.patient(to: url)
    let count = try await connection.state(of: Topology.Queue.department(department)).messageCount
    await connection.close()
    return count
  }

  @Test("starts next when 40 others wait", arguments: [1, 3])
  func forty(tellers: Int) async throws {
    let place = try await placeOfUrgent(tellers: tellers, waiting: 40, window: 2_000)
    print("\(tellers) tellers, 40 waiting: the urgent job started as number \(place)")
    // Tellers that become free at the same moment write their traces in any order.
    #expect(place <= tellers)
  }

  @Test("starts next when more wait than the window holds", arguments: [1, 3])
  func beyondTheWindow(tellers: Int) async throws {
    let place = try await placeOfUrgent(tellers: tellers, waiting: 5_000, window: 2_000)
    print("\(tellers) tellers, 5,000 waiting: the urgent job started as number \(place)")
    #expect(place <= tellers)
  }
}
