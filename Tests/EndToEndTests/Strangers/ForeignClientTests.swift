import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A client that is not Teller's own", .serialized)
struct ForeignClientTests {
  @Test("submits with the documented names alone, and reads acceptance and outcome where it asked for them")
  func submits() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let id = UUID().uuidString.lowercased()
    let body = #"{"account": "Ä-1", "cents": 500}"#
    let client = try system.submitByPika([
      try TellerSystem.message(
        [
          "message_id": id, "type": "echo", "content_type": "application/json", "correlation_id": "order 4711",
          "priority": 7, "delivery_mode": 2, "headers": ["teller-department": "work", "mine": "kept out of it"],
        ], body: body)
    ])
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    let replies = client.replies
    #expect(replies.map(\.type) == ["accepted", "succeeded"])
    #expect(replies.allSatisfy { $0.correlationID == "order 4711" && $0.job == id })
    let echoed = try #require(replies.last?.body)
    #expect(try TellerSystem.json(echoed) == TellerSystem.json(body))
    let shown = try #require(try await system.ask("show", id, "--json").objects.first)
    #expect(shown["state"] as? String == "succeeded")
    #expect(shown["priority"] as? Int == 7)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("is told of a failure, of a rejection, and that it has submitted the same before")
  func otherReplies() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let failing = UUID().uuidString.lowercased()
    let properties: [String: any Sendable] = ["message_id": failing, "type": "fail", "correlation_id": "failing"]
    let payload = #"{"permanent": true}"#
    let first = try system.submitByPika([
      try TellerSystem.message(properties, body: payload),
      try TellerSystem.message(["message_id": "no UUID", "type": "noop", "correlation_id": "bad"]),
    ])
    #expect(try await first.waitForExit(within: TellerSystem.limit) == 0, "\(first.lines)\n\(system.logs)")
    let replies = Dictionary(grouping: first.replies) { $0.correlationID ?? "" }
    #expect(replies["failing"]?.map(\.type) == ["accepted", "failed"])
    #expect(replies["failing"]?.last?.failure?.error == "asked_to_fail")
    #expect(replies["bad"]?.map(\.type) == ["rejected"])
    #expect(replies["bad"]?.last?.failure?.error == "bad_id")

    let again = try system.submitByPika([try TellerSystem.message(properties, body: payload)])
    #expect(try await again.waitForExit(within: TellerSystem.limit) == 0, "\(again.lines)\n\(system.logs)")
    #expect(again.replies.map(\.type) == ["duplicate", "failed"])
    let shown = try #require(try await system.ask("show", failing, "--json").objects.first)
    #expect((shown["attempts_made"] as? [any Sendable])?.count == 1)
    for process in [worker, coordinator] { try await process.close() }
  }
}

extension TellerSystem {
  /// A JSON object, comparable.
  static func json(_ text: String) throws -> NSDictionary? {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
  }
}
