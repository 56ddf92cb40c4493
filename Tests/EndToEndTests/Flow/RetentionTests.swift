import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Retention")
struct RetentionTests {
  private static let batch = 600

  @Test("removes what has ended, but neither its count nor its key, and nothing stalls")
  func removes() async throws {
    let system = try await TellerSystem.onSharedBroker(more: "retention: {time: 2s}\n")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=8")
    let first = try await submitKeyed(system, payload: #"{"n": 1}"#)
    let kept = try #require(first.last?["job"] as? String)
    for round in 1...2 {
      _ = try await system.submit(RetentionTests.batch, #"{"kind": "effect", "payload": {}}"#)
      try await eventually("round \(round): all have ended", within: TellerSystem.longLimit) {
        try await succeeded(system) == 1 + round * RetentionTests.batch
      }
    }
    try await eventually("nothing is left of them", within: TellerSystem.longLimit, lastState: { system.logs }) {
      let ended = try await system.ask("jobs", "--json")
      return ended.status == 0 && ended.lines.isEmpty
    }
    #expect(try await system.ask("show", kept).status == 66)
    #expect(try await system.ask("show", kept, "--payload").status == 66)
    let again = try await submitKeyed(system, payload: #"{"n": 2}"#)
    #expect(again.last?["duplicate_of"] as? String == kept)
    #expect(again.last?["event"] as? String == "succeeded")
    #expect(again.last?["result"] as? String == first.last?["result"] as? String)
    // It ran nothing, and what has been removed still counts; also for a coordinator that begins now.
    #expect(try await succeeded(system) == 1 + 2 * RetentionTests.batch)
    try await coordinator.close()
    let second = try await system.startCoordinator()
    #expect(try await succeeded(system) == 1 + 2 * RetentionTests.batch)
    #expect(system.effects.count == 2 * RetentionTests.batch)
    try await system.servesAgain("retention", since: .now)
    for process in [worker, second] { try await process.close() }
  }

  /// What is printed of it, up to its outcome.
  private func submitKeyed(_ system: TellerSystem, payload: String) async throws -> [[String: any Sendable]] {
    let ended = try await system.teller(
      "submit", "echo", "--payload", payload, "--key", "the-one", "--key-window", "1h", "--wait", "--json")
    #expect(ended.status == 0, "\(ended.errors)")
    return ended.objects.filter { $0["job"] != nil }
  }

  private func succeeded(_ system: TellerSystem) async throws -> Int? {
    try await system.department("work")["succeeded"] as? Int
  }
}
