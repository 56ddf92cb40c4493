import Testing

@testable import Decisions
@testable import JobModel

@Suite("Leases, every interleaving", .serialized)
struct LeaseExplorationTests {
  @Test("while a worker that lives cannot be heard, for any time, its lease does not pass; that of a dead one does")
  func allRules() async { await expectClean(troubles: 1) }

  @Test("the same with an alarm, a stall and a new session in any order", .enabled(if: ExplorationTests.isFull))
  func full() async { await expectClean(troubles: 3) }

  private func expectClean(troubles: Int) async {
    let result = await apart { SmallExplorer.explore([LeaseWorld(troubles: troubles)]) }
    print("leases, \(troubles) troubles: \(result.states) states")
    #expect(result.violation == nil, "\(result.way)")
    #expect(result.deadEnds == 0, "\(result.deadEnd)")
    #expect(!result.isIncomplete)
  }

  @Test(
    "without a rule, that of a living one passes, or that of a dead one does not",
    arguments: [
      (.pulse, LeaseWorld.livingExpires), (.pause, LeaseWorld.livingExpires), (.stall, LeaseWorld.livingExpires),
      (.session, LeaseWorld.deadStays),
    ] as [(LeaseWorld.Rule, String)])
  func missing(_ rule: LeaseWorld.Rule, _ violation: String) async {
    let result = await apart { SmallExplorer.explore([LeaseWorld(without: rule)]) }
    print("leases without \(rule.rawValue): \(result.states) states, \(result.way)")
    #expect(result.violation == violation)
  }
}
