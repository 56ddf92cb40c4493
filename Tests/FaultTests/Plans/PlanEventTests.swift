import TestSupport
import Testing

/// Seven states of a plan, and a coordinator that is killed at three moments when an event comes. Then the event comes once
/// more, with the same id. All rows: `TELLER_TEST_KILLS=all`.
@Suite("An event of a plan, when the coordinator is killed")
struct PlanEventTests {
  /// How many rows are played beside each other: each has two processes, and starts more of them.
  private static let width = 4

  @Test("is acted on once and at its place, however often it is sent and accepted")
  func table() async throws {
    let cases = PlanTables.isFull ? EventCase.all : EventCase.telling
    let broker = try await BrokerNode.shared
    let rows = try await together(cases, atMost: Self.width) { try await EventTrial.play($0, on: broker) }
    PlanRow.show(["the plan", "coordinator killed", "the event", "runs", "its place"], rows)
    #expect(rows.count == cases.count)
  }
}
