import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A job of low priority", .serialized)
struct AgingTests {
  /// So many urgent ones always wait: more than a teller serves while a command submits others.
  private static let flow = 150
  private static let urgent = #"{"kind": "effect", "priority": 9, "payload": {"ms": 50}}"#

  @Test("runs although urgent ones keep coming, and some always wait")
  func steadyFlow() async throws {
    let system = try await TellerSystem.onSharedBroker(more: "priority_worth: 1s\n")
    let coordinator = try await system.startCoordinator()
    var urgent = try await system.submit(AgingTests.flow, AgingTests.urgent).count
    let low = try await system.submitOne("effect", "--priority", "0", "--payload", "{}")
    let worker = try await system.startWorker("work=1")
    var place: Int?
    try await eventually("the job of priority 0 begins", within: TellerSystem.longLimit, lastState: { system.logs }) {
      let begun = system.effects.map(\.job)
      place = begun.firstIndex(of: low)
      if place == nil, urgent - begun.count < AgingTests.flow {
        urgent += try await system.submit(AgingTests.flow, AgingTests.urgent).count
      }
      return place != nil
    }
    let before = try #require(place)
    print("the job of priority 0 began behind \(before) of \(urgent) urgent ones")
    #expect(before < urgent, "no urgent one waited any more: it would have run anyway")
    #expect(before > 0, "it was its turn from the beginning")
    worker.signal(SIGKILL)
    try await worker.waitForExit(within: TellerSystem.limit)
    try await coordinator.close()
  }
}
