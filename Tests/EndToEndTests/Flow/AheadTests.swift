import Foundation
import JobModel
import SystemSupport
import TestSupport
import Testing

/// A worker with one teller runs a job that the test can end, and has taken two others ahead.
@Suite("Jobs that a worker has taken ahead")
struct AheadTests {
  private struct Scene {
    var system: TellerSystem
    var coordinator: RunningProcess
    var holder: RunningProcess
    var running: String
    var ahead: [String]

    /// The jobs that were taken ahead ran once each, in the first attempt, and in that worker.
    func expectRuns(in worker: RunningProcess) async throws {
      #expect(Set(try await system.outcomes(of: ahead).values) == ["succeeded"], "\(system.logs)")
      let runs = system.effects.filter { ahead.contains($0.job) }
      #expect(runs.count == ahead.count && runs.allSatisfy { $0.attempt == 1 && $0.pid == worker.pid }, "\(runs)")
    }
  }

  private func scene(lease: String = TellerSystem.lease, at url: String? = nil) async throws -> Scene {
    let departments = "work: {ahead: 2}"
    let system =
      if let url { try TellerSystem(brokerURL: url, lease: lease, departments: departments) } else {
        try await TellerSystem.onSharedBroker(lease: lease, departments: departments)
      }
    let coordinator = try await system.startCoordinator()
    let holder = try await system.startWorker("work=1")
    let running = try await system.submit(1, #"{"kind": "gate"}"#)
    try await system.expectRuns(1)
    let ahead = try await system.submit(2, #"{"kind": "effect", "payload": {}}"#)
    for job in ahead { try await system.expectInHand(of: holder, job) }
    return Scene(system: system, coordinator: coordinator, holder: holder, running: running[0], ahead: ahead)
  }

  @Test("are queued, begin when the job before them ends, and are shown by status and explain")
  func begins() async throws {
    let scene = try await scene()
    try await scene.system.expect(["running": 1, "queued": 2, "ahead": 2], of: "work")
    let status = try await scene.system.ask("status")
    #expect(status.lines.contains { $0.contains("ahead 2") }, "\(status.lines)")
    // After ten seconds they are given back, and come again.
    try await eventually("the worker has both in hand", within: TellerSystem.limit, lastState: { scene.system.logs }) {
      let worker = try await scene.system.ask("workers", "--json").objects.first
      return worker?["in_hand"] as? Int == 2 && worker?["running"] as? Int == 1
    }
    try scene.system.openGate()
    try await scene.expectRuns(in: scene.holder)
    for process in [scene.holder, scene.coordinator] { try await process.close() }
  }

  @Test("go to another worker when their worker drains, while it ends what it runs")
  func drained() async throws {
    let scene = try await scene()
    let other = try await scene.system.startWorker("work=1")
    scene.holder.signal(SIGTERM)
    try await scene.expectRuns(in: other)
    #expect(scene.holder.exitStatus == nil, "a job of it still runs")
    try scene.system.openGate()
    #expect(try await scene.holder.waitForExit(within: TellerSystem.limit) == 0)
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    for process in [other, scene.coordinator] { try await process.close() }
  }

  @Test("run in another worker when theirs is killed, and its death costs them nothing")
  func killed() async throws {
    let scene = try await scene(lease: TellerSystem.leaseOfTheDead)
    let other = try await scene.system.startWorker("work=2")
    scene.holder.signal(SIGKILL)
    try await scene.holder.waitForExit(within: TellerSystem.limit)
    try scene.system.openGate()
    try await scene.expectRuns(in: other)
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    let runs = scene.system.effects.filter { $0.job == scene.running }
    #expect(runs.map(\.attempt) == [1, 2], "only what ran was running at its death")
    for process in [other, scene.coordinator] { try await process.close() }
  }

  @Test("wait in the queue while their department is paused")
  func paused() async throws {
    let scene = try await scene()
    _ = try await scene.system.object("pause", "work")
    try await scene.system.expectInQueue(2, of: "work")
    try await scene.system.expectHolds("paused", of: scene.ahead[0])
    try scene.system.openGate()
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    #expect(scene.system.effects.count == 1)
    _ = try await scene.system.object("resume", "work")
    try await scene.expectRuns(in: scene.holder)
    for process in [scene.holder, scene.coordinator] { try await process.close() }
  }

  @Test("go back when the file says that no more are taken, and another worker runs them")
  func reloaded() async throws {
    let scene = try await scene()
    try scene.system.configure(departments: "work: {}")
    scene.coordinator.signal(SIGHUP)
    try await scene.coordinator.waitForLine(
      containing: "department work: ahead 2 → 0", within: TellerSystem.limit)
    try await scene.system.expectInQueue(2, of: "work")
    let other = try await scene.system.startWorker("work=1")
    try await scene.expectRuns(in: other)
    #expect(try await scene.system.department("work")["ahead"] == nil)
    try scene.system.openGate()
    for process in [other, scene.holder, scene.coordinator] { try await process.close() }
  }

  @Test("are not held back by a worker that is busy for long, when another one is free")
  func stolen() async throws {
    let scene = try await scene()
    let other = try await scene.system.startWorker("work=1")
    // The busy one gives them back after a while.
    try await scene.expectRuns(in: other)
    try scene.system.openGate()
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    for process in [other, scene.holder, scene.coordinator] { try await process.close() }
  }

  @Test("run once when the coordinator is killed and another one begins")
  func coordinator() async throws {
    let scene = try await scene()
    scene.coordinator.signal(SIGKILL)
    try await scene.coordinator.waitForExit(within: TellerSystem.limit)
    let next = try await scene.system.startCoordinator()
    for job in scene.ahead { try await scene.system.expectInHand(of: scene.holder, job) }
    try scene.system.openGate()
    try await scene.expectRuns(in: scene.holder)
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    #expect(scene.system.effects.count == 3, "\(scene.system.effects)")
    for process in [scene.holder, next] { try await process.close() }
  }

  @Test("run once when the broker is killed and comes back")
  func broker() async throws {
    let broker = try await BrokerNode.start()
    let scene = try await scene(at: broker.url)
    try await broker.kill()
    try await broker.start()
    try scene.system.openGate()
    try await scene.expectRuns(in: scene.holder)
    #expect(try await scene.system.outcomes(of: [scene.running]) == [scene.running: "succeeded"])
    #expect(scene.system.effects.count == 3, "\(scene.system.effects)")
    for process in [scene.holder, scene.coordinator] { try await process.close() }
    try await broker.close()
  }
}

extension TellerSystem {
  /// Waits until the explanation of a job names that worker as the one that has taken it ahead.
  fileprivate func expectInHand(of worker: RunningProcess, _ job: String) async throws {
    var lines: [String] = []
    try await eventually("job \(job) is in hand", within: TellerSystem.limit, lastState: { "\(lines)\n\(logs)" }) {
      lines = try await ask("explain", job).lines
      return lines.joined(separator: " ").contains("/\(worker.pid), and has not begun there")
    }
  }
}
