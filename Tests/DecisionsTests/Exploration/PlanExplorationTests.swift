import Testing

@testable import Decisions
@testable import JobModel

@Suite("Plans, every order of what can happen", .serialized)
struct PlanExplorationTests {
  typealias Setting = PlanWorld.Setting

  @Test("one rank at a time, in order; each step once unless the plan goes back; no event lost, or acted on twice")
  func allRules() async { await expectClean(Setting.all) }

  @Test("the same, with more that can happen at once", .enabled(if: ExplorationTests.isFull))
  func largeOnes() async { await expectClean(Setting.large) }

  private func expectClean(_ settings: [Setting]) async {
    var states = 0
    for setting in settings {
      let result = await apart { SmallExplorer.explore([PlanWorld(setting)]) }
      print("plans, \(setting.name): \(result.states) states")
      #expect(result.violation == nil, "\(setting.name): \(result.way)")
      #expect(result.deadEnds == 0, "\(setting.name): \(result.deadEnd)")
      #expect(!result.isIncomplete)
      states += result.states
    }
    print("plans: \(states) states")
  }

  @Test(
    "without a rule of the product something goes wrong",
    arguments: [
      (.wholeRank, .besideOthers, "a plan went back while steps of its rank were under way"),
      (.oneGroup, .besideOthers, "a rank began too early"),
      (.bound, .goingBack, "a plan went back too often"),
      (.keepAgain, .events, "an event was lost"),
      (.gate, .gates, "a customer was let in while the gate should be shut"),
      (.shutting, .gates, "a customer was let in while the gate should be shut"),
      (.void, .cancelling, "two ranks at once"),
      (.presentRun, .eventOfLaterRun, "an event of an earlier run holds up the run"),
      (.lookAgain, .moving, "a rank began before the plan had gone back"),
      (.wholeReset, .resetting, "a reset left a job behind"),
      (.earlierRuns, .resetting, "a reset stopped a run that began after it"),
    ] as [(PlanWorld.Rule, Setting, String)])
  func missing(_ rule: PlanWorld.Rule, _ setting: Setting, _ violation: String) async {
    var setting = setting
    setting.off = rule
    let asked = setting
    let result = await apart { SmallExplorer.explore([PlanWorld(asked)]) }
    print("plans without \(rule.rawValue): \(result.states) states, \(result.way)")
    #expect(result.violation == violation)
  }
}
