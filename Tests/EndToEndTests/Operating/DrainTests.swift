import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A worker that an operator drains", .serialized)
struct DrainTests {
  @Test("finishes what it runs, takes nothing more, and its process ends well; another worker goes on")
  func drain() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let first = try await system.startWorker("work=1")
    let gated = try await system.submit(1, #"{"kind": "gate"}"#)
    try await system.expectRuns(1)
    let name = try await system.worker(of: first)["name"] as? String ?? ""
    let told = try await system.object("drain", name)
    #expect(told["changed"] as? Bool == true && told["told"] as? Bool == true && told["name"] as? String == name)
    try await system.expectDraining(first)
    let listed = try await system.ask("workers", "-d", "work")
    print(listed.lines.joined(separator: "\n"))
    #expect(listed.lines.count == 1 && listed.lines[0].contains("\tdraining\t"))

    let again = try await system.teller("drain", name)
    #expect(again.status == 0 && again.lines.first?.contains("drains already; 1 job runs") == true, "\(again)")
    let waiting = try await system.submit(3, #"{"kind": "effect", "payload": {}}"#)
    try await system.expect(["running": 1, "queued": 3], of: "work")
    #expect(first.exitStatus == nil, "a job of it still runs")
    try system.openGate()
    #expect(try await first.waitForExit(within: TellerSystem.limit) == 0)
    #expect(try await system.outcomes(of: gated).values.map(\.self) == ["succeeded"])
    try await eventually("it said goodbye", within: TellerSystem.limit) { try await system.workers().isEmpty }

    let second = try await system.startWorker("work=1")
    #expect(Set(try await system.outcomes(of: waiting).values) == ["succeeded"])
    #expect(system.effects.dropFirst().allSatisfy { $0.pid == second.pid })
    let gone = try await system.teller("drain", name)
    #expect(gone.status == 66 && gone.errors.joined().contains("there is no worker"), "\(gone)")
    for process in [second, coordinator] { try await process.close() }
  }

  @Test("is told when it is heard again, also by a coordinator that has taken over meanwhile")
  func silent() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let id = try #require(try await system.worker(of: worker)["id"] as? String)
    // It is silent, and lives: nothing of it is taken back within the lease of this system.
    try await worker.freeze()
    try await system.expectSilent(id)
    let told = try await system.object("drain", id)
    #expect(told["changed"] as? Bool == true && told["told"] as? Bool == false, "\(told)")
    coordinator.signal(SIGKILL)
    _ = try await coordinator.waitForExit(within: TellerSystem.limit)
    let later = try await system.startCoordinator()
    let remembered = try await system.object("drain", id)
    #expect(remembered["changed"] as? Bool == false && remembered["told"] as? Bool == false, "\(remembered)")
    worker.thaw()
    #expect(try await worker.waitForExit(within: TellerSystem.limit) == 0)
    #expect(worker.text(of: .standardError).contains { $0.contains("told to drain by an operator") })
    try await later.close()
  }
}

extension TellerSystem {
  fileprivate func workers() async throws -> [[String: any Sendable]] { try await ask("workers", "--json").objects }

  /// What `teller workers` says of a process.
  fileprivate func worker(of process: RunningProcess) async throws -> [String: any Sendable] {
    let workers = try await workers()
    return try #require(
      workers.first { ($0["name"] as? String)?.hasSuffix("/\(process.pid)") == true }, "no worker among \(workers)")
  }

  fileprivate func expectDraining(_ process: RunningProcess) async throws {
    try await eventually("the worker says that it drains", within: TellerSystem.limit, lastState: { logs }) {
      try await worker(of: process)["draining"] as? Bool == true
    }
  }

  /// Waits until the coordinator has not heard a worker for longer than a lively one is silent.
  fileprivate func expectSilent(_ id: String) async throws {
    try await eventually("worker \(id) is silent", within: TellerSystem.limit, lastState: { logs }) {
      let worker = try await workers().first { $0["id"] as? String == id }
      return worker?["last_seen_ms"] as? Int ?? 0 > 6_500
    }
  }
}
