import Testing

@testable import Decisions
@testable import JobModel

@Suite("Plans, every order of what can happen", .serialized)
struct PlanExplorationTests {
  typealias Setting = PlanWorld.Setting
  typealias Step = PlanRules.Step

  private static let back = Reentry(on: "expired", from: "user", atMost: 1)
  private static let login = [
    Step("user", rank: 1), Step("place", rank: 2, isRequired: false), Step("login", rank: 3, reentry: back),
    Step("banner", rank: 4, isRequired: false),
  ]
  private static let beside = [
    Step("user", rank: 1), Step("login", rank: 2, reentry: back), Step("news", rank: 2), Step("last", rank: 3),
  ]

  private static func rules(_ steps: [Step], _ whenOpen: PlanEvent.WhenOpen, rank: Int) -> PlanRules {
    PlanRules(steps: steps, events: [PlanEvent("push", rank: rank, whenOpen: whenOpen)])
  }

  static let settings: [Setting] = [
    Setting(name: "going back, optional steps, a stop", rules: PlanRules(steps: login), runs: 2, canStop: true),
    Setting(name: "going back twice", rules: PlanRules(steps: twice), runs: 1, retries: 1),
    Setting(name: "two steps of a rank", rules: PlanRules(steps: beside), runs: 1, canStop: true, retries: 2),
    Setting(name: "two steps of a rank that go back", rules: PlanRules(steps: bothBack), runs: 1, retries: 1),
    Setting(
      name: "an event in each state, run", rules: rules(Array(login.suffix(2)).free, .run, rank: 2), runs: 2, events: 2,
      canStop: true, canPause: true),
    Setting(
      name: "an event in each state, announced", rules: rules(Array(login.suffix(2)).free, .announce, rank: 9), runs: 2,
      events: 2, canStop: true, canPause: true, retries: 1),
    Setting(
      name: "an event while the plan goes back", rules: rules(login, .announce, rank: 2), runs: 1, events: 1,
      canStop: true, retries: 1),
  ]

  private static let twice = [
    Step("user", rank: 1), Step("login", rank: 2, reentry: Reentry(on: "expired", from: "user", atMost: 2)),
    Step("last", rank: 3, isRequired: false, reentry: Reentry(on: "stale", from: "login", atMost: 1)),
  ]
  private static let bothBack = [
    Step("first", rank: 1), Step("user", rank: 2), Step("login", rank: 3, reentry: back),
    Step("mail", rank: 3, isRequired: false, reentry: Reentry(on: "full", from: "first", atMost: 1)),
  ]

  @Test("one rank at a time, in order; each step once unless the plan goes back; no event lost, or acted on twice")
  func allRules() async {
    var states = 0
    for setting in Self.settings {
      let start = ContinuousClock.now
      let result = await apart { SmallExplorer.explore([PlanWorld(setting)]) }
      print("plans, \(setting.name): \(result.states) states in \(ContinuousClock.now - start)")
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
      (.wholeRank, 2, "a plan went back while steps of its rank were under way"),
      (.oneGroup, 2, "a rank began too early"),
      (.bound, 0, "a plan went back too often"),
      (.keepAgain, 4, "an event was lost"),
    ] as [(PlanWorld.Rule, Int, String)])
  func missing(_ rule: PlanWorld.Rule, _ index: Int, _ violation: String) async {
    var setting = Self.settings[index]
    setting.off = rule
    let asked = setting
    let result = await apart { SmallExplorer.explore([PlanWorld(asked)]) }
    print("plans without \(rule.rawValue): \(result.states) states, \(result.way)")
    #expect(result.violation == violation)
  }
}

extension [PlanRules.Step] {
  /// The same steps, of which none goes back.
  fileprivate var free: [PlanRules.Step] {
    map { step in
      var step = step
      step.reentry = nil
      return step
    }
  }
}
