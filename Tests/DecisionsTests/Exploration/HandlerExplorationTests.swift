import Testing

@testable import Decisions
@testable import JobModel

/// Worker a has no handler for the job, and gives back what it is handed.
@Suite("A worker without a handler, every interleaving", .serialized)
struct HandlerExplorationTests {
  @Test(
    "gives a job back that neither runs twice nor is lost, while the other one is cut off at any moment",
    .enabled(if: ExplorationTests.isFull))
  func cutOff() async {
    await expectClean(Setting(faults: [[.cutOff]], isReleased: true, isPatient: true, lacking: [0]))
  }

  @Test("nor does it when the coordinator dies or the queue is emptied")
  func faults() async {
    await expectClean(Setting(faults: [[.crash, .purge]], lacking: [0]))
  }

  @Test("nor when the coordinator dies and the other worker is cut off", .enabled(if: ExplorationTests.isFull))
  func two() async {
    await expectClean(Setting(faults: [[.crash], [.cutOff]], isReleased: true, isPatient: true, lacking: [0]))
  }

  @Test("released anew at once, what the other one still runs would run twice")
  func withoutClaim() async {
    let setting = Setting(
      faults: [[.cutOff]], isReleased: true, isPatient: true, lacking: [0], off: [.returnedClaim])
    let result = await apart { Explorer.explore(setting, with: MissingRuleTests.explorer) }
    print("without returnedClaim: \(result.states) states, \(result.doubleRun ?? [])")
    #expect(result.doubleRun != nil)
  }

  @Test("a coordinator that forgot what was given back would leave the job nowhere")
  func withoutMark() async {
    let setting = Setting(
      faults: [[.crash]], isReleased: true, lacking: [0], off: [.returnedUnconfirmed, .lost])
    let result = await apart { Explorer.explore(setting, with: MissingRuleTests.explorer) }
    print("without returnedUnconfirmed: \(result.states) states, \(result.deadEnd ?? [])")
    #expect(result.deadEnd != nil)
  }
}
