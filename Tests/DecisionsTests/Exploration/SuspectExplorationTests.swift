import Testing

@testable import Decisions
@testable import JobModel

@Suite("Neighbours of a poison job, every interleaving", .serialized)
struct SuspectExplorationTests {
  typealias Setting = SuspectWorld.Setting

  @Test(
    "the poison ends as failed, no neighbour does, and each runs and dies a bounded number of times",
    arguments: [
      // Side by side in one worker, and in two.
      Setting(departments: [0, 0], tellers: [2], attempts: 2, mostRuns: 4, mostDeaths: 4),
      Setting(departments: [0, 0, 0], tellers: [3], attempts: 2, mostRuns: 4, mostDeaths: 4),
      Setting(departments: [0, 0, 0], tellers: [3], attempts: 3, mostRuns: 4, mostDeaths: 5),
      Setting(departments: [0, 0, 0], tellers: [2, 1], attempts: 2, mostRuns: 4, mostDeaths: 4),
      // In another department of the same worker.
      Setting(departments: [0, 1, 1], tellers: [2], attempts: 2, mostRuns: 4, mostDeaths: 4),
      // More than one poison.
      Setting(departments: [0, 1], poisons: 2, tellers: [1], mostDeaths: 6),
      Setting(departments: [0, 0, 0], poisons: 2, tellers: [3], mostRuns: 7, mostDeaths: 7),
      // And two workers that die for no job's sake.
      Setting(departments: [0, 0, 0], tellers: [3], mostRuns: 6, mostDeaths: 7, accidents: 2),
    ])
  func allRules(_ setting: Setting) async { await expectClean(setting) }

  @Test("a coordinator that starts anew condemns no neighbour either; one that dies with each worker ends the poison")
  func restarts() async {
    await expectClean(Setting(departments: [0, 0, 0], tellers: [3], mostRuns: 5, mostDeaths: 7, restarts: 1))
    await expectClean(
      Setting(departments: [0, 0, 0], tellers: [3], mostRuns: 9, mostDeaths: 9, takesCoordinator: true))
  }

  @Test(
    "the same with more jobs and departments", .enabled(if: ExplorationTests.isFull),
    arguments: [
      Setting(departments: [0, 0, 0, 0], tellers: [4], mostRuns: 4, mostDeaths: 8),
      Setting(departments: [0, 1, 1], poisons: 2, tellers: [2], mostRuns: 7, mostDeaths: 7),
    ])
  func full(_ setting: Setting) async { await expectClean(setting) }

  private func expectClean(_ setting: Setting) async {
    let result = await apart { SmallExplorer.explore([SuspectWorld(setting)]) }
    print("suspects: \(result.states) states, \(setting)")
    #expect(result.violation == nil, "\(result.way)")
    #expect(result.deadEnds == 0, "\(result.deadEnd)")
    #expect(!result.isIncomplete)
  }

  @Test(
    "without a rule, an innocent job is condemned or runs too often, or the poison does not end",
    arguments: [
      (
        .company, Setting(departments: [0, 0], tellers: [2], mostRuns: 9, mostDeaths: 9, accidents: 2),
        SuspectWorld.condemned
      ),
      (.line, Setting(departments: [0, 0], tellers: [2], mostRuns: 9, mostDeaths: 9), SuspectWorld.circles),
      (
        .place, Setting(departments: [0, 1], poisons: 2, tellers: [1], mostRuns: 9, mostDeaths: 9),
        SuspectWorld.diesTooOften
      ),
      (
        .patience, Setting(departments: [0, 0, 0], tellers: [3], attempts: 2, mostRuns: 9, mostDeaths: 5),
        SuspectWorld.diesTooOften
      ),
      (.claimed, Setting(departments: [0, 0], tellers: [2], mostRuns: 4, mostDeaths: 7), SuspectWorld.runsTooOften),
      (
        .unknown, Setting(departments: [0, 0], tellers: [2], mostRuns: 9, mostDeaths: 9, takesCoordinator: true),
        SuspectWorld.diesTooOften
      ),
    ] as [(SuspectWorld.Rule, Setting, String)])
  func missing(_ rule: SuspectWorld.Rule, _ setting: Setting, _ violation: String) async {
    var setting = setting
    setting.off = rule
    let asked = setting
    let result = await apart { SmallExplorer.explore([SuspectWorld(asked)]) }
    print("suspects without \(rule.rawValue): \(result.states) states, \(result.way)")
    #expect(result.violation == violation)
  }
}
