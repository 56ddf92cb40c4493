import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A plan", .serialized)
struct PlanTests {
  private static let contentType = "application/vnd.teller.plan+json"

  /// One step; its name is its kind and rank.
  private struct Step: Encodable {
    var name: String
    var kind: String
    var rank: Int
    var payload: [String: Bool] = [:]

    init(_ kind: String, rank: Int, _ payload: [String: Bool] = [:]) {
      (name, self.kind, self.rank, self.payload) = ("\(kind) \(rank)", kind, rank, payload)
    }

    /// Leaves traces of its start and its end.
    static func effect(rank: Int) -> Step { Step("effect", rank: rank, ["tells_end": true]) }
  }

  private struct Document: Encodable {
    var department = "init"
    var steps: [Step]
  }

  /// The message of a plan whose steps are listed in random order.
  private func message(_ steps: [Step], id: String) throws -> String {
    var random = SeededRandom(for: "steps of a plan")
    let body = try JSONEncoder().encode(Document(steps: steps.shuffled(using: &random)))
    return try TellerSystem.message(
      ["message_id": id, "content_type": PlanTests.contentType, "correlation_id": id],
      body: String(decoding: body, as: UTF8.self))
  }

  @Test("whose steps are handed in in any order runs them by rank, one at a time, on two workers")
  func byRank() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let workers = [try await system.startWorker("init=3"), try await system.startWorker("init=3")]
    let plan = UUID().uuidString.lowercased()
    let ranks = Array(1...20)
    let client = try system.submitByPika([try message(ranks.map(Step.effect), id: plan)])
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    #expect(client.replies.map(\.type) == ["accepted", "succeeded"])
    #expect(client.replies.allSatisfy { $0.job == plan && $0.correlationID == plan })

    let steps = try await system.steps(of: plan)
    // Each starts, and ends, before the next one starts.
    let expected = ranks.flatMap { ["effect \($0) started", "effect \($0) ended"] }
    #expect(system.traces.map { "\(steps[$0.job]?.name ?? $0.job) \($0.word)" } == expected)
    #expect(steps.values.allSatisfy { $0.state == "succeeded" })
    for process in workers + [coordinator] { try await process.close() }
  }

  @Test("is shut by a step that fails for good: the rest is cancelled, the reason is answered, and others go on")
  func shut() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("init=3")
    let (first, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
    let failing = [Step.effect(rank: 1), Step("fail", rank: 2, ["permanent": true])] + (3...5).map(Step.effect)
    let client = try system.submitByPika([
      try message(failing, id: first), try message([.effect(rank: 1), .effect(rank: 2)], id: second),
    ])
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    let replies = Dictionary(grouping: client.replies) { $0.correlationID ?? "" }
    #expect(replies[first]?.map(\.type) == ["accepted", "failed"])
    let failure = try #require(replies[first]?.last?.failure)
    #expect(failure.error == "asked_to_fail")
    #expect(failure.message.contains("fail 2"))
    #expect(replies[second]?.map(\.type) == ["accepted", "succeeded"])

    let states = Dictionary(
      uniqueKeysWithValues: try await system.steps(of: first).values.map { ($0.name, $0.state) })
    #expect(
      states == [
        "effect 1": "succeeded", "fail 2": "failed", "effect 3": "cancelled", "effect 4": "cancelled",
        "effect 5": "cancelled",
      ])
    #expect(system.effects.count == 3)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("is joined by an event with a rank while it runs; one without a rank follows it")
  func joined() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("init=3")
    let plan = UUID().uuidString.lowercased()
    let client = try system.submitByPika([
      try message([Step("gate", rank: 1), Step("effect", rank: 3), Step("effect", rank: 5)], id: plan)
    ])
    try await eventually("the first step runs", within: TellerSystem.limit) { system.effects.count == 1 }
    let explained = try await system.expectHolds("step", "running", of: plan)
    #expect(explained.first == "\(plan) (plan in init) is held")
    #expect(explained.contains { $0.hasSuffix("3 steps have not ended; next is step \"gate 1\", which is running") })
    let last = try await system.submit(1, #"{"kind": "effect", "department": "init", "payload": {}}"#)
    let event = try await system.submit(1, #"{"kind": "effect", "department": "init", "rank": 4, "payload": {}}"#)
    try system.openGate()
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    #expect(try await system.outcomes(of: event + last).values.allSatisfy { $0 == "succeeded" })
    let steps = try await system.steps(of: plan)
    let order = system.effects.map { steps[$0.job]?.name ?? ([$0.job] == event ? "event" : "last") }
    #expect(order == ["gate 1", "effect 3", "event", "effect 5", "last"])
    for process in [worker, coordinator] { try await process.close() }
  }
}

extension TellerSystem {
  /// The steps of a plan, by job.
  fileprivate func steps(of plan: String) async throws -> [String: (name: String, state: String)] {
    let jobs = try await ask("jobs", "--limit", "1000", "--json").objects
    var steps: [String: (name: String, state: String)] = [:]
    for job in jobs where job["plan"] as? String == plan {
      guard let id = job["id"] as? String, let name = job["step"] as? String else { continue }
      steps[id] = (name, job["state"] as? String ?? "")
    }
    return steps
  }

  /// The starts and ends of `effect` jobs that tell both, in order.
  fileprivate var traces: [(job: String, word: String)] {
    effectLines.compactMap { line in
      guard let job = line.first else { return nil }
      return (job, line.count > 3 ? line[3] : "started")
    }
  }
}
