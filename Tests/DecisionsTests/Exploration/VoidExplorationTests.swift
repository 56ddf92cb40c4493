import Testing

@testable import Decisions
@testable import JobModel

/// The same small world, in which the job is cancelled, changed or adopted at any moment as well.
@Suite("Cancelling, changing and adopting, every interleaving", .serialized)
struct VoidExplorationTests {
  static let few: Set<Fault> = [.crash, .death, .purge]

  @Test("a job that is cancelled at any moment keeps its place until nobody can run it, and then gives it back")
  func cancel() async {
    await expectClean(Setting(faults: [Self.few], operations: [[.cancel]]))
  }

  @Test("a waiting job that is changed at any moment is neither run twice nor lost")
  func rerank() async {
    await expectClean(Setting(faults: [[.death, .purge]], operations: [[.rerank]]))
  }

  @Test("a waiting job that is too late at any moment does not run after its place was given back")
  func startBy() async {
    await expectClean(Setting(faults: [[.death, .purge]], operations: [[.startBy]]))
  }

  @Test("a job that a worker has begun by a grant is never too late, whatever became of that worker")
  func startedInTime() async {
    await expectClean(
      Setting(
        faults: [[.death]], operations: [[.startBy]], isReleased: true, isFlagged: true, isPatient: true, attempts: 2))
  }

  @Test("a change that is cancelled half-way frees its place only when nobody can run the job")
  func changeThenCancel() async {
    await expectClean(Setting(operations: [[.rerank], [.cancel]]))
  }

  @Test("an adopted job whose worker dies is released anew, also when others always wait in its queue")
  func adoption() async {
    let faults: Set<Fault> = [.crash, .death]
    await expectClean(Setting(faults: [faults, faults], adopts: true, isCrowded: true))
    await expectClean(Setting(faults: [[.death]], operations: [[.cancel]], adopts: true, isCrowded: true))
    await expectClean(Setting(faults: [[.death]], operations: [[.rerank]], adopts: true, isCrowded: true))
  }

  @Test("a purged queue through which later releases come loses no job and no place")
  func order() async {
    let change = Setting(faults: [[.purge]], operations: [[.rerank]], isCrowded: true, isPassing: true)
    await expectClean(change)
    await expectClean(Setting(faults: [Self.few], operations: [[.cancel]], isCrowded: true, isPassing: true))
  }

  @Test(
    "what takes long: cut off for longer than a lease, or the broker's restart, while a job is cancelled, changed or adopted",
    .enabled(if: ExplorationTests.isFull),
    arguments: [
      Setting(faults: [[.cutOff]], operations: [[.cancel]], isPatient: true),
      Setting(faults: [[.cutOff]], operations: [[.cancel]]),
      Setting(faults: [[.cutOff]], operations: [[.rerank]], isPatient: true),
      Setting(faults: [[.cutOff]], operations: [[.startBy]], isPatient: true),
      Setting(faults: [[.brokerRestart]], operations: [[.cancel]], isPatient: true),
      Setting(faults: [[.cutOff]], adopts: true),
      Setting(faults: [[.brokerRestart]], adopts: true),
      Setting(faults: [[.crash]], operations: [[.rerank, .startBy]]),
      Setting(faults: [[.purge, .crash]], operations: [[.rerank], [.cancel]]),
    ])
  func full(_ setting: Setting) async {
    await expectClean(setting)
  }
}

/// What happens without each of these rules.
@Suite("Cancelling, changing and adopting with a rule switched off", .serialized)
struct MissingVoidRuleTests {
  @Test(
    "runs a job after its place was given to another",
    arguments: [
      (.gone, Setting()),
      (.order, Setting(isCrowded: true, isPassing: true)),
      (.voidPlace, Setting(operations: [[.cancel]])),
      (.voidFirst, Setting(operations: [[.rerank]])),
      (.voidRecorded, Setting(faults: [[.crash]], operations: [[.cancel]])),
      (.voidWelcome, Setting(faults: [[.cutOff]], operations: [[.rerank]], isPatient: true)),
      (.voidClaimed, Setting(faults: [[.cutOff]], operations: [[.cancel]], isPatient: true)),
      (.voidConcluded, Setting(faults: [[.cutOff]], operations: [[.cancel]], isPatient: true)),
      (.voidGone, Setting(operations: [[.rerank]])),
      (.voidPublished, Setting(operations: [[.cancel]])),
      (.droppedClaim, Setting(faults: [[.crash]], operations: [[.rerank]], isPatient: true)),
    ] as [(Rule, Setting)])
  func lateRun(_ rule: Rule, _ setting: Setting) async {
    #expect(await explore(without: rule, setting).lateRun != nil)
  }

  @Test(
    "runs a job after its place was given to another, in a long way", .enabled(if: ExplorationTests.isFull),
    arguments: [
      (.voidToken, Setting(faults: [[.cutOff]], operations: [[.cancel]])),
      (.droppedUngranted, Setting(faults: [[.crash]], operations: [[.rerank], [.cancel]], isPatient: true)),
    ] as [(Rule, Setting)])
  func lateRunFull(_ rule: Rule, _ setting: Setting) async {
    #expect(await explore(without: rule, setting).lateRun != nil)
  }

  @Test("fails a job as too late that a worker had begun")
  func begunTooLate() async {
    let setting = Setting(
      faults: [[.death]], operations: [[.startBy]], isReleased: true, isFlagged: true, isPatient: true, attempts: 2)
    #expect(await explore(without: .unstarted, setting).forgottenStart != nil)
  }

  @Test(
    "loses a job, or its place",
    arguments: [
      (.voidClaimOpen, Setting(faults: [[.death]], operations: [[.cancel]], adopts: true, isCrowded: true)),
      (.adoptRecorded, Setting(faults: [[.crash], [.death]], adopts: true, isCrowded: true)),
      (.adoptClaimed, Setting(faults: [[.death]], adopts: true, isCrowded: true)),
      (.adoptRestart, Setting(faults: [[.death], [.crash]], adopts: true, isCrowded: true)),
    ] as [(Rule, Setting)])
  func deadEnd(_ rule: Rule, _ setting: Setting) async {
    #expect(await explore(without: rule, setting).deadEnd != nil)
  }

  private func explore(without rule: Rule, _ setting: Setting) async -> Exploration {
    var setting = setting
    setting.off = [rule]
    let (asked, explorer) = (setting, Explorer(maxToken: 5, stateLimit: 500_000))
    let result = await apart { Explorer.explore(asked, with: explorer) }
    let way = result.lateRun ?? result.forgottenStart ?? result.deadEnd ?? []
    print("without \(rule.rawValue): \(result.states) states, \(way)")
    return result
  }
}

/// Explores, and expects that nothing is wrong.
func expectClean(_ setting: Setting, at location: SourceLocation = #_sourceLocation) async {
  let result = await apart { Explorer.explore(setting) }
  print("explored \(result.states) states: \(setting.faults), \(setting.operations)")
  #expect(result.doubleRun == nil, "a run too many", sourceLocation: location)
  #expect(result.lateRun == nil, "a run whose place was given back", sourceLocation: location)
  #expect(result.blamedInnocent == nil, "an attempt used up by what had not begun", sourceLocation: location)
  #expect(result.forgottenStart == nil, "what had begun taken for what had not", sourceLocation: location)
  #expect(result.deadEnd == nil, "\(result.deadEnds) dead ends", sourceLocation: location)
  #expect(result.cutShort == 0, "granted or released again and again", sourceLocation: location)
  #expect(!result.isIncomplete, "more states than the limit", sourceLocation: location)
}
