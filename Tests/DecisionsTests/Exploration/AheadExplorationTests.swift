import Testing

@testable import Decisions
@testable import JobModel

/// The same small world, in which a worker takes a delivery more than it has tellers: the job waits in its hands, starts
/// without a claim, or goes back to the queue, at any moment.
@Suite("Jobs that are taken ahead, every interleaving", .serialized)
struct AheadExplorationTests {
  @Test("what waits in a worker's hands, or goes back, runs once, and is not lost")
  func noFault() async {
    await expectClean(Setting(takesAhead: true))
    await expectClean(Setting(isCrowded: true, isPassing: true, takesAhead: true))
  }

  @Test(
    "one fault at any moment neither runs it twice nor loses it",
    arguments: [.crash, .death, .purge, .takeover] as [Fault])
  func oneFault(_ fault: Fault) async {
    await expectClean(Setting(faults: [[fault]], takesAhead: true))
  }

  @Test("a worker that is cut off with it neither runs it twice nor loses it")
  func cutOff() async {
    await expectClean(
      Setting(faults: [[.cutOff]], isReleased: true, isPatient: true, takesAhead: true, mostHandBacks: 0))
  }

  @Test("a worker that claims it after a silence neither runs it twice nor loses it")
  func silence() async {
    await expectClean(Setting(isReleased: true, takesAhead: true, mostDoubts: 1, mostHandBacks: 0))
    await expectClean(Setting(faults: [[.death]], isReleased: true, takesAhead: true, mostDoubts: 1, mostHandBacks: 0))
  }

  @Test("its worker's death uses up no attempt before it has begun")
  func attempts() async {
    await expectClean(Setting(faults: [[.death]], isReleased: true, isPatient: true, attempts: 2, takesAhead: true))
  }

  @Test("it is cancelled, moved or too late while it waits: it is dropped, and its place is given back")
  func void() async {
    await expectClean(Setting(operations: [[.cancel]], takesAhead: true))
    await expectClean(Setting(operations: [[.rerank]], takesAhead: true, mostHandBacks: 0))
    await expectClean(Setting(operations: [[.startBy]], takesAhead: true))
  }

  @Test(
    "what takes long: two faults, a broker that restarts, a ledger that is rolled back",
    .enabled(if: ExplorationTests.isFull),
    arguments: [
      Setting(faults: [[.cutOff]], isReleased: true, isPatient: true, takesAhead: true),
      Setting(faults: [[.cutOff]], isReleased: true, takesAhead: true),
      Setting(faults: [[.cutOff]], isReleased: true, takesAhead: true, mostDoubts: 1, mostHandBacks: 0),
      Setting(faults: [[.crash]], isReleased: true, takesAhead: true, mostDoubts: 1, mostHandBacks: 0),
      Setting(faults: [[.death]], isReleased: true, takesAhead: true, mostHandBacks: 3),
      Setting(faults: [[.brokerRestart]], isReleased: true, isPatient: true, takesAhead: true),
      Setting(faults: [[.deletion]], isReleased: true, takesAhead: true),
      Setting(faults: [[.diskLoss]], isReleased: true, isPatient: true, takesAhead: true),
      Setting(faults: [[.rollback]], isReleased: true, takesAhead: true),
      Setting(faults: [[.crash, .death, .purge], [.crash, .death, .purge]], takesAhead: true),
      Setting(operations: [[.rerank]], takesAhead: true),
      Setting(faults: [[.death]], operations: [[.cancel]], takesAhead: true),
      Setting(faults: [[.crash]], operations: [[.rerank]], takesAhead: true),
      Setting(faults: [[.cutOff]], operations: [[.cancel]], isPatient: true, takesAhead: true),
    ])
  func full(_ setting: Setting) async { await expectClean(setting) }

  @Test("without a list of it in each presence it runs twice")
  func unlisted() async {
    #expect(await explore(without: .waitingListed, Setting(takesAhead: true)).doubleRun != nil)
  }

  @Test("if it is still listed after it went back, it is lost")
  func listedTooLong() async {
    #expect(await explore(without: .waitingHandedBack, Setting(takesAhead: true)).deadEnd != nil)
  }

  private func explore(without rule: Rule, _ setting: Setting) async -> Exploration {
    var setting = setting
    setting.off = [rule]
    let (asked, explorer) = (setting, Explorer(maxToken: 5, stateLimit: 500_000, watchesPlaces: false))
    let result = await apart { Explorer.explore(asked, with: explorer) }
    print(
      "without \(rule.rawValue): \(result.states) states, \(result.doubleRun ?? result.lateRun ?? result.deadEnd ?? [])"
    )
    return result
  }
}
