import AuditSupport
import TestSupport
import Testing

/// Nine steps, and somebody who is killed with kill -9 while one of them runs, and started again; or a coordinator that
/// dies when it records the end of a step, with all that follows for the plan. All forty-five rows:
/// `TELLER_TEST_KILLS=all`.
///
/// A run whose worker was killed was cut off, and its job runs again: at least once is what is promised. The last step has
/// one attempt, so it does not run again; the plan goes on without it.
@Suite("A plan, when somebody is killed while a step runs")
struct PlanKillTests {
  /// What is played without the variable: a worker dies at a step that runs again and at the one that may not, and a
  /// coordinator when it has recorded that the plan goes back.
  private static let telling: [Victim: Set<Int>] = [
    .coordinator: [2], .worker: [3, 9], .broker: [5], .afterRecord: [4],
  ]

  private static func ranks(_ victim: Victim) -> Set<Int> {
    PlanTables.isFull ? Set(OpeningPlan.steps.map(\.rank)) : telling[victim] ?? []
  }

  @Test("comes to its end in order, repeats nothing, has never two ranks at once, and keeps its gates shut until then")
  func table() async throws {
    // The nine rows of a victim are 27 processes: those of another one come after them.
    let width = PlanTables.isFull ? 1 : Victim.allCases.count
    let rows = try await together(Victim.allCases, atMost: width) { try await Self.play($0) }.flatMap { $0 }
    PlanRow.show(["step", "killed", "the step ended", "runs", "the runs of the step's job"], rows)
    #expect(rows.count == Victim.allCases.map { Self.ranks($0).count }.reduce(0, +))
  }

  private static func play(_ victim: Victim) async throws -> [PlanRow] {
    let broker = victim == .broker ? try await BrokerNode.start() : try await BrokerNode.shared
    let ranks = ranks(victim)
    let steps = OpeningPlan.steps.filter { ranks.contains($0.rank) }
    let trials = try await together(steps, atMost: steps.count) { try await KillTrial($0, victim, on: broker) }
    func all(_ part: @escaping @Sendable (KillTrial) async -> Void) async throws {
      _ = try await together(trials, atMost: trials.count) { await part($0) }
    }
    try await all { await $0.begin() }
    if victim == .broker {
      try await broker.writeDown()
      try await broker.kill()
    }
    try await all { await $0.harm() }
    if victim == .broker { try await broker.start() }
    try await all { await $0.heal() }
    let rows = try await together(trials, atMost: trials.count) { await $0.end() }
    if victim == .broker { try await broker.close() }
    return rows
  }
}
