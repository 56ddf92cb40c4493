import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A worker that is killed in the middle of a job", .serialized)
struct InterruptionTests {
  @Test("leaves an attempt that tells its worker, its start and how it ended, and behind it the one that ended well")
  func shown() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let before = InterruptionTests.now
    let doomed = try await system.startWorker("work=1")
    let first = try await system.onlyWorker()
    let job = try await system.submitOne("gate")
    try await system.expectRuns(1)
    try await system.expect(["running": 1], of: "work")
    try await kill(doomed)
    let worker = try await system.startWorker("work=1")
    try await system.expectRuns(2)
    try system.openGate()
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])

    let attempts = try #require(try await system.show(job)["attempts_made"] as? [[String: any Sendable]])
    #expect(attempts.map { $0["number"] as? Int } == [1, 2])
    #expect(attempts.map { $0["result"] as? String } == ["interrupted", "succeeded"])
    #expect(attempts[0]["worker"] as? String == first)
    #expect(attempts[1]["worker"] as? String != first)
    #expect((attempts[0]["error"] as? [String: any Sendable])?["error"] as? String == "interrupted")
    let times = [attempts[0]["started_ms"], attempts[0]["ended_ms"], attempts[1]["started_ms"]].map { $0 as? Int ?? 0 }
    #expect(([before] + times + [InterruptionTests.now]).isAscending, "\(times)")
    let text = try await system.ask("show", job).lines
    print(text.joined(separator: "\n"))
    #expect(text.contains { $0.hasPrefix("attempt 1") && $0.contains("interrupted, started ") && $0.contains(first) })
    #expect(text.contains { $0.hasPrefix("attempt 2") && $0.contains("succeeded, started ") })
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("leaves its job at the job's own level: behind higher ones, ahead of lower ones that came before")
  func priority() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let doomed = try await system.startWorker("work=1")
    let job = try await system.submitOne("gate", "--priority", "6")
    try await system.expectRuns(1)
    let lower = try await system.submit(5, #"{"kind": "effect", "priority": 5, "payload": {}}"#)
    let higher = try await system.submit(2, #"{"kind": "effect", "priority": 7, "payload": {}}"#)
    try await system.expect(["queued": 7, "running": 1], of: "work")
    try await kill(doomed)
    try system.openGate()
    try await eventually("what the dead worker had is back in its queue", within: TellerSystem.limit) {
      try await BrokerNode.shared.queues(of: system.brokerURL)["teller.department.work"]?.ready == 8
    }
    let worker = try await system.startWorker("work=1")
    #expect(Set(try await system.outcomes(of: [job] + lower + higher).values) == ["succeeded"])
    #expect(system.effects.map(\.job) == [job] + higher + [job] + lower)
    #expect(try await system.show(job)["priority"] as? Int == 6)
    for process in [worker, coordinator] { try await process.close() }
  }

  private func kill(_ worker: RunningProcess) async throws {
    worker.signal(SIGKILL)
    try await worker.waitForExit(within: TellerSystem.limit)
  }

  private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }
}

extension TellerSystem {
  /// The id of the one worker there is.
  fileprivate func onlyWorker() async throws -> String {
    let workers = try await object("status")["workers"] as? [[String: any Sendable]]
    return try #require(workers?.first?["id"] as? String, "\(workers ?? [])")
  }
}

extension [Int] {
  fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy(<=) }
}
