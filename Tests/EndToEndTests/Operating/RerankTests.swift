import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("teller rerank", .serialized)
struct RerankTests {
  @Test("moves a held and a queued job before others; one that runs keeps its place")
  func priorities() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {window: 3}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let gated = try await system.submitOne("gate")
    try await system.expectRuns(1)
    // Two of them in the window, one in the reserve of their level, and two held.
    let jobs = try await system.submit(5, #"{"kind": "effect", "priority": 4, "payload": {}}"#)
    try await system.expect(["running": 1, "queued": 3, "held": 2], of: "work")
    let held = try await system.object("rerank", jobs[4], "--priority", "9")
    #expect(held["priority"] as? Int == 9)
    let queued = try await system.object("rerank", jobs[1], "--priority", "8")
    #expect(queued["priority"] as? Int == 8)
    #expect(queued["state"] as? String == "queued")
    let later = try await system.teller("rerank", jobs[0], "--priority", "1")
    #expect(later.lines == ["\(jobs[0]) is queued, with priority 1"])
    let refused = try await system.teller("rerank", gated, "--priority", "9")
    #expect(refused.status == 2)
    #expect(refused.errors.joined().contains("it is running"))
    #expect(try await system.teller("rerank", jobs[2], "--rank", "1").status == 2)

    try system.openGate()
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    // The last one that is held leaves the ledger when a place is free, and may find the one that was put back started.
    let order = system.effects.dropFirst().map(\.job).filter { $0 != jobs[3] }
    #expect(order == [4, 1, 2, 0].map { jobs[$0] })
    let ended = try await system.teller("rerank", jobs[0], "--priority", "9")
    #expect(ended.status == 2)
    #expect(ended.errors.joined().contains("it has ended"))
    try await system.expect(["void": 0], of: "work")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("gives a step of a plan another rank, and the report of the plan counts its steps")
  func ranks() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("init=1")
    let plan = UUID().uuidString.lowercased()
    let effects = [("b", 3), ("c", 5), ("d", 7)].map { name, rank in
      #"{"name": "\#(name)", "kind": "effect", "rank": \#(rank), "payload": {}}"#
    }
    let steps = ([#"{"name": "a", "kind": "gate", "rank": 1}"#] + effects).joined(separator: ", ")
    let client = try system.submitByPika([try TellerSystem.plan(plan, steps: steps)])
    try await system.expectRuns(1)
    let jobs = try await system.ask("jobs", "--department", "init", "--json").objects
    let names = Dictionary(
      uniqueKeysWithValues: jobs.map { ($0["id"] as? String ?? "", $0["step"] as? String ?? "") })
    let last = try #require(names.first { $0.value == "d" }?.key)
    #expect(try await system.object("rerank", last, "--rank", "2")["rank"] as? Int == 2)
    #expect(try await system.teller("rerank", last, "--priority", "9").status == 2)
    try system.openGate()
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    #expect(system.effects.map { names[$0.job] } == ["a", "d", "b", "c"])

    let report = try await system.object("report", "--plan", plan)
    let line = try #require((report["lines"] as? [[String: any Sendable]])?.first)
    #expect(line["department"] as? String == "init")
    #expect(line["succeeded"] as? Int == 4)
    for process in [worker, coordinator] { try await process.close() }
  }
}

extension TellerSystem {
  /// The message of a plan in `init`, whose steps are JSON.
  static func plan(_ id: String, steps: String) throws -> String {
    try message(
      ["message_id": id, "content_type": "application/vnd.teller.plan+json", "correlation_id": id],
      body: #"{"department": "init", "steps": [\#(steps)]}"#)
  }
}
