import Testing

@testable import Decisions
@testable import JobModel

/// The ledger is replaced by an earlier copy of itself: what ran by then may run once more, and nothing else may.
@Suite("A ledger that was rolled back, every interleaving", .serialized)
struct EpochExplorationTests {
  @Test("what had not been started runs once, and what had been started at most once more")
  func rollback() async {
    await expectClean(Setting(faults: [[.rollback]]))
  }

  @Test(
    "without a rule of epochs, a job that had not been started runs twice",
    arguments: [Rule.epochClaim, .epochNumbers, .epochHears])
  func doubleRun(_ rule: Rule) async {
    let explorer = Explorer(maxToken: 5, stateLimit: 100_000, watchesPlaces: false)
    let result = await apart { Explorer.explore(Setting(faults: [[.rollback]], off: [rule]), with: explorer) }
    print("without \(rule.rawValue): \(result.states) states, \(result.doubleRun ?? [])")
    #expect(result.doubleRun != nil)
  }
}
