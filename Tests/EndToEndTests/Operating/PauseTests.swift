import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A department that is paused or resized", .serialized)
struct PauseTests {
  @Test("while paused starts nothing, also with a worker that comes or reconnects; what runs goes on")
  func pause() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2", "other=1")
    let gated = try await system.submit(2, #"{"kind": "gate"}"#)
    try await system.expectRuns(2)
    var waiting = try await system.submit(5, #"{"kind": "effect", "payload": {}}"#)
    #expect(try await system.object("pause", "work")["changed"] as? Bool == true)
    #expect(try await system.teller("pause", "work").lines == ["department work is paused, as before"])
    waiting += try await system.submit(3, #"{"kind": "effect", "payload": {}}"#)
    try await system.expect(["running": 2, "queued": 5, "held": 3], of: "work")
    try await system.expectHolds("paused", of: waiting[0])
    try await system.expectHolds("paused", of: waiting[7])

    let second = try await system.startWorker("work=2", "other=1")
    try await system.expectPaused("work", workers: 2)
    try system.openGate()
    #expect(Set(try await system.outcomes(of: gated).values) == ["succeeded"])
    try await system.passes(through: "other")
    try await system.closeAllConnections()
    try await system.passes(through: "other")
    try await system.expectPaused("work", workers: 2)
    #expect(system.effects.count == 2)

    #expect(try await system.teller("resume", "work").lines == ["department work goes on"])
    #expect(Set(try await system.outcomes(of: waiting).values) == ["succeeded"])
    #expect(system.effects.map(\.job).sorted() == (gated + waiting).sorted())
    let misspelt = try await system.teller("pause", "wrok")
    #expect(misspelt.status == 66)
    #expect(misspelt.errors.joined().contains(#"did you mean "work""#), "\(misspelt.errors)")
    for process in [worker, second, coordinator] { try await process.close() }
  }

  @Test("gets more and fewer tellers while jobs run, in all its workers or in one by name")
  func resize() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let first = try await system.startWorker("work=1", "other=1")
    let second = try await system.startWorker("work=1", "other=1")
    let gated = try await system.submit(6, #"{"kind": "gate"}"#)
    try await system.expectRuns(2)
    let name = try await system.workerName(of: second.pid)
    let told = try await system.object("resize", "work", "2", "--worker", name)
    #expect((told["workers"] as? [[String: any Sendable]])?.compactMap { $0["name"] as? String } == [name])
    try await system.expectRuns(3)
    #expect(system.effects.filter { $0.pid == second.pid }.count == 2)
    try await system.expect(["tellers": 3, "running": 3, "queued": 3], of: "work")

    print(try await system.ask("resize", "work", "0").lines.joined(separator: "\n"))
    try await system.expect(["tellers": 0, "running": 3], of: "work")
    try await system.expectHolds("no_teller", of: try #require(gated.last))
    try system.openGate()
    try await system.expect(["succeeded": 3, "running": 0, "queued": 3], of: "work")
    for _ in 1...2 { try await system.passes(through: "other") }
    #expect(system.effects.count == 3)

    let third = try await system.workerName(of: first.pid)
    #expect(try await system.ask("resize", "work", "4", "--worker", third).status == 0)
    #expect(Set(try await system.outcomes(of: gated).values) == ["succeeded"])
    #expect(system.effects.dropFirst(3).map(\.pid) == [first.pid, first.pid, first.pid])
    try await system.expect(["tellers": 4], of: "work")
    try await unknown(system)
    for process in [first, second, coordinator] { try await process.close() }
  }

  private func unknown(_ system: TellerSystem) async throws {
    let department = try await system.teller("resize", "wrok", "2")
    #expect(department.status == 66)
    let worker = try await system.teller("resize", "work", "2", "--worker", "nobody")
    #expect(worker.status == 66)
    #expect(worker.errors.joined().contains(#"worker "nobody" does not serve department "work""#), "\(worker.errors)")
  }
}

extension TellerSystem {
  private func workers() async throws -> [[String: any Sendable]] {
    (try await ask("status", "--json").objects.first?["workers"] as? [[String: any Sendable]]) ?? []
  }

  /// Waits until so many workers say that they take nothing of a department.
  fileprivate func expectPaused(_ department: String, workers count: Int) async throws {
    try await eventually("\(count) workers have paused", within: TellerSystem.limit, lastState: { logs }) {
      try await workers().count { ($0["paused"] as? [String])?.contains(department) == true } == count
    }
  }

  /// Host name and process id.
  fileprivate func workerName(of pid: pid_t) async throws -> String {
    let names = try await workers().compactMap { $0["name"] as? String }
    return try #require(names.first { $0.hasSuffix("\(pid)") }, "no worker \(pid) among \(names)")
  }
}
