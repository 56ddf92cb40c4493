import Testing

@testable import Decisions
@testable import JobModel

@Suite("Claims that come together, every interleaving", .serialized)
struct BatchExplorationTests {
  /// What worker a runs already when everything comes back redelivered: nothing, one job, or both.
  private static let running: [Set<Int>] = [[], [0], [0, 1]]

  @Test("two jobs whose claims share a turn, a probe and a fence run once each")
  func allRules() async {
    let result = await apart {
      SmallExplorer.explore(BatchExplorationTests.running.map { BatchWorld(running: $0, deaths: 0) })
    }
    print("batched claims: \(result.states) states")
    #expect(result.violation == nil, "\(result.way)")
    #expect(result.deadEnds == 0, "\(result.deadEnd)")
    #expect(!result.isIncomplete)
  }

  @Test("without a rule one of them runs twice", arguments: BatchWorld.Rule.allCases)
  func missing(_ rule: BatchWorld.Rule) async {
    let result = await apart {
      SmallExplorer.explore(BatchExplorationTests.running.map { BatchWorld(running: $0, deaths: 0, without: rule) })
    }
    print("batched claims without \(rule.rawValue): \(result.states) states, \(result.way)")
    #expect(result.violation == "a run too many")
  }
}
