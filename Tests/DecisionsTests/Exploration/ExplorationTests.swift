import Foundation
import Testing

@testable import Decisions
@testable import JobModel

/// One job, two workers, a coordinator and a broker: every order in which things can happen to them is tried, with the
/// product's own values for the rules. A question *crosses* when a worker asks again while its first question, or the
/// answer, is still on its way.
@Suite("The protocol, every interleaving", .serialized)
struct ExplorationTests {
  static let anyFault: Set<Fault> = [.crash, .death, .cutOff, .brokerRestart, .purge]
  /// Those that leave the connections of living workers alone: few states, so that two of them can be tried.
  static let faultsWithoutReconnects: Set<Fault> = [.crash, .death, .purge]
  /// Set to `1`, also what takes long is explored: connections that are cut or a broker that restarts together with
  /// operations, adoptions, a second fault or a question that crosses, and all troubles of a lease together. Half an hour
  /// or more in a debug build; without it about a minute of one processor.
  static let fullVariable = "TELLER_TEST_EXPLORE_ALL"
  static let isFull = ProcessInfo.processInfo.environment[fullVariable] == "1"

  /// The broker's restart is explored with the attempts, see `LossExplorationTests`.
  @Test("a worker that is cut off at any moment, and comes back, neither runs a job twice nor loses it")
  func cutOff() async {
    await expectClean(Setting(faults: [[.cutOff]], isReleased: true, isPatient: true))
  }

  @Test("two faults that cut nobody off neither run a job twice nor lose it")
  func twoFaults() async {
    await expectClean(Setting(faults: [Self.faultsWithoutReconnects, Self.faultsWithoutReconnects]))
  }

  @Test("a question that crosses its answer neither runs a job twice nor loses it")
  func crossing() async {
    await expectClean(Setting(faults: [Self.faultsWithoutReconnects], crossings: 1))
  }

  @Test("a worker that comes back when its job was given to another, which dies, does not keep it from the next")
  func comesBack() async {
    await expectClean(Setting(faults: [[.cutOff], [.death]], isCrowded: true))
  }

  @Test("a worker that comes back when its job was given to another, which is cut off as well", .enabled(if: isFull))
  func bothComeBack() async {
    await expectClean(Setting(faults: [[.cutOff], [.cutOff]], isCrowded: true))
  }

  @Test("one fault of any kind at any moment neither runs a job twice nor loses it", .enabled(if: isFull))
  func oneFault() async {
    await expectClean(Setting(faults: [Self.anyFault]))
  }

  @Test("one fault of any kind and a crossing question neither run a job twice nor lose it", .enabled(if: isFull))
  func full() async {
    await expectClean(Setting(faults: [Self.anyFault], crossings: 1))
  }
}

/// What happens without each rule: the reason why it is there, and the proof that the exploration can find something.
@Suite("The protocol with a rule switched off", .serialized)
struct MissingRuleTests {
  /// More than any of them needs: they end with what they find.
  static let explorer = Explorer(maxToken: 5, stateLimit: 100_000, watchesPlaces: false)

  @Test(
    "runs a job twice",
    arguments: [
      (Rule.claim, [.cutOff], 0), (.claimFlag, [.crash], 0), (.probe, [], 0), (.fence, [.death], 0),
      (.oneGrant, [.death], 0), (.askerEchoes, [.death], 1), (.numbers, [.purge, .crash], 0),
      (.welcomedList, [.crash], 0),
    ] as [(Rule, [Fault], Int)])
  func doubleRun(_ rule: Rule, _ faults: [Fault], _ crossings: Int) async {
    let result = await explore(without: rule, faults, crossings)
    #expect(result.doubleRun != nil)
  }

  @Test("loses a job", arguments: [(Rule.lost, [.purge]), (.byRelease, [.death, .cutOff])] as [(Rule, [Fault])])
  func deadEnd(_ rule: Rule, _ faults: [Fault]) async {
    let result = await explore(without: rule, faults, 0)
    #expect(result.deadEnd != nil)
  }

  @Test(
    "loses a job whose queue is never empty, to a run that was given up", arguments: [Rule.presentToken, .staleClaimed])
  func deadEndInCrowd(_ rule: Rule) async {
    let result = await explore(without: rule, [.cutOff, .death], 0, isCrowded: true)
    #expect(result.deadEnd != nil)
  }

  private func explore(
    without rule: Rule, _ faults: [Fault], _ crossings: Int, isCrowded: Bool = false
  ) async -> Exploration {
    let inTurn = faults.map { Set([$0]) }
    let setting = Setting(faults: inTurn, crossings: crossings, isCrowded: isCrowded, off: [rule])
    let result = await apart { Explorer.explore(setting, with: Self.explorer) }
    print("without \(rule.rawValue): \(result.states) states, \(result.doubleRun ?? result.deadEnd ?? [])")
    return result
  }
}

/// On a thread of its own: an exploration takes many seconds, and the tests beside it need the pool's few threads. They
/// need the processor as well: so the suites explore one thing at a time, and the thread stands back behind the others.
func apart<Value: Sendable>(_ explore: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      standBack()
      continuation.resume(returning: explore())
    }
  }
}

/// Lets the present thread have a third of what others get while they have something to do.
private func standBack() {
  // Elsewhere this would be about the whole process.
  #if os(Linux)
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
  #endif
}
