import Testing

@testable import Decisions
@testable import JobModel

/// What the broker had is gone, or all of it comes back; and coordinators that die in the middle of a turn.
@Suite("Losses and takeovers, every interleaving", .serialized)
struct LossExplorationTests {
  @Test("a broker that lost its disk costs no job; only what a lost report told of may run again")
  func diskLoss() async {
    await expectClean(Setting(faults: [[.diskLoss]]))
  }

  @Test("a deleted queue, with its consumers and what was not acked, neither loses a job nor runs it twice")
  func deletion() async {
    await expectClean(Setting(faults: [[.deletion]]))
  }

  @Test("a coordinator that dies at any point of a turn leaves the next one nothing that runs a job twice or loses it")
  func takeover() async {
    await expectClean(Setting(faults: [[.takeover]]))
    await expectClean(Setting(faults: [[.death], [.takeover]]))
    await expectClean(Setting(faults: [[.takeover], [.death]], adopts: true, isCrowded: true))
  }

  @Test("whatever comes back redelivered of the dead, no attempt is used up by a run that had not begun")
  func redelivered() async {
    await expectClean(Setting(faults: [[.death, .crash], [.death, .crash]], attempts: 2))
  }

  @Test("a broker's restart, after which everything comes back redelivered, uses up no attempt that had not begun")
  func allRedelivered() async {
    await expectClean(Setting(faults: [[.brokerRestart]], isReleased: true, isPatient: true, attempts: 2))
  }

  @Test("an answer that was lost with its connection uses up no attempt, and no run that had begun goes uncounted")
  func lostAnswer() async {
    await expectClean(
      Setting(faults: [[.cutOff]], isReleased: true, isFlagged: true, isPatient: true, attempts: 2))
  }

  @Test("a suspect that is taken back is held, and released anew in its turn: it is neither lost nor run twice")
  func suspect() async {
    await expectClean(Setting(faults: [[.death], [.death, .crash]], isSuspect: true))
    await expectClean(Setting(faults: [[.death], [.takeover]], isSuspect: true))
    await expectClean(Setting(faults: [[.takeover], [.death]], adopts: true, isCrowded: true, isSuspect: true))
  }

  @Test(
    "what takes long: two losses, or one of them while a job is changed or adopted",
    .enabled(if: ExplorationTests.isFull),
    arguments: [
      Setting(faults: [[.diskLoss], [.death, .crash]]),
      Setting(faults: [[.diskLoss]], operations: [[.rerank]], isPatient: true),
      Setting(faults: [[.diskLoss]], operations: [[.cancel]]),
      Setting(faults: [[.deletion], [.death, .crash]]),
      Setting(faults: [[.deletion]], operations: [[.cancel, .rerank]]),
      Setting(faults: [[.takeover]], operations: [[.cancel, .rerank]]),
      Setting(faults: [[.brokerRestart]], attempts: 2),
      Setting(faults: [[.cutOff]], isReleased: true, isFlagged: true, attempts: 2),
      Setting(faults: [[.cutOff], [.expiry]], isReleased: true, isFlagged: true, attempts: 2),
      Setting(faults: [[.diskLoss]], isReleased: true, isFlagged: true, attempts: 2),
      Setting(faults: [[.diskLoss]], adopts: true),
      Setting(faults: [[.cutOff], [.death]], isCrowded: true, isSuspect: true),
      Setting(faults: [[.deletion], [.cutOff]], isPatient: true),
      Setting(faults: [[.takeover, .death], [.takeover, .death]]),
      Setting(faults: [[.takeover], [.cutOff]], isPatient: true),
    ])
  func full(_ setting: Setting) async {
    await expectClean(setting)
  }
}

/// What happens without each of these rules.
@Suite("Losses and takeovers with a rule switched off", .serialized)
struct MissingLossRuleTests {
  @Test(
    "runs a job twice",
    arguments: [
      (.resent, Setting(faults: [[.diskLoss]])),
      (.lock, Setting(faults: [[.takeover]])),
      (.recordedFirst, Setting(faults: [[.death], [.takeover]])),
      (.claim, Setting(faults: [[.brokerRestart]])),
    ] as [(Rule, Setting)])
  func doubleRun(_ rule: Rule, _ setting: Setting) async {
    #expect(await explore(without: rule, setting).doubleRun != nil)
  }

  @Test(
    "loses a job",
    arguments: [
      (.lost, Setting(faults: [[.diskLoss]])),
      (.lost, Setting(faults: [[.deletion]])),
      (.startOver, Setting(faults: [[.purge], [.diskLoss]])),
      (.consumesAnew, Setting(faults: [[.deletion]])),
    ] as [(Rule, Setting)])
  func deadEnd(_ rule: Rule, _ setting: Setting) async {
    #expect(await explore(without: rule, setting).deadEnd != nil)
  }

  @Test("counts an innocent job as interrupted")
  func innocent() async {
    let setting = Setting(faults: [[.brokerRestart]], attempts: 2)
    #expect(await explore(without: .redeliveredIsNoStart, setting).blamedInnocent != nil)
  }

  @Test("counts an answer that was lost as a run")
  func unheard() async {
    let setting = Setting(faults: [[.cutOff]], isReleased: true, isFlagged: true, isPatient: true, attempts: 2)
    #expect(await explore(without: .unheardGrant, setting).blamedInnocent != nil)
  }

  @Test("takes a run for an answer that was lost")
  func unheardSince() async {
    let setting = Setting(faults: [[.cutOff], [.expiry]], isReleased: true, isFlagged: true, attempts: 2)
    #expect(await explore(without: .unheardSince, setting).forgottenStart != nil)
  }

  private func explore(without rule: Rule, _ setting: Setting) async -> Exploration {
    var setting = setting
    setting.off = [rule]
    let (asked, explorer) = (setting, Explorer(maxToken: 5, stateLimit: 500_000, watchesPlaces: false))
    let result = await apart { Explorer.explore(asked, with: explorer) }
    let way = result.doubleRun ?? result.blamedInnocent ?? result.forgottenStart ?? result.deadEnd ?? []
    print("without \(rule.rawValue): \(result.states) states, \(way)")
    return result
  }
}
