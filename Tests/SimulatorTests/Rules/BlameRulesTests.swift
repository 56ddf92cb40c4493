import AuditSupport
import JobModel
import Testing

@testable import Simulator

/// That nothing is blamed without a cause: each death and each attempt that nobody can have cut short is found.
@Suite("The simulator's rules of blame")
struct BlameRulesTests {
  private static let worker: Int32 = 100
  private static let other: Int32 = 200

  private let world = World(seed: 1, manner: .v3_10, isTraced: false)
  private let job = JobID()

  private func time(_ seconds: Int) -> Moment { Moment(nanoseconds: Int64(seconds) * 1_000_000_000) }

  private func found(deaths: Int = 0, attempts: [Int: String] = [:], errorCode: String? = nil) -> [String] {
    let recorded = LedgerFindings.Job(
      state: LedgerState.failed, attempt: 1, hasEnd: true, notifications: 1, errorCode: errorCode, deaths: deaths,
      attempts: attempts)
    return BlameRules(world, LedgerFindings(jobs: [job: recorded])).check()
  }

  private func cutOff(_ pid: Int32 = BlameRulesTests.worker, from: Int, until: Int? = nil) {
    world.cutOffs.append(CutOff(pid: pid, from: time(from), until: until.map(time)))
  }

  /// A run from 10 to 20.
  private func run(in pid: Int32 = BlameRulesTests.worker) {
    world.runs.append(Run(job: job, attempt: 1, pid: pid, began: time(10), ended: time(20), end: .succeeded))
  }

  @Test("find nothing where nothing is blamed")
  func nothing() {
    run()
    #expect(found().isEmpty)
    #expect(found(attempts: [1: "failed"], errorCode: "asked_to_fail").isEmpty)
  }

  @Test("find a death more than there were workers that died of the job, and name the job")
  func deaths() {
    #expect(found(deaths: 1).first?.contains(job.description) == true)
    run()
    #expect(!found(deaths: 1).isEmpty)
    cutOff(from: 15)
    #expect(found(deaths: 1).isEmpty)
    #expect(!found(deaths: 2).isEmpty)
    run(in: Self.other)
    #expect(!found(deaths: 2).isEmpty)
    cutOff(Self.other, from: 15)
    #expect(found(deaths: 2).isEmpty)
  }

  @Test("count a cut-off only while the run goes on, or may not be reported yet")
  func times() {
    run()
    let cases: [(Int, Int?, Bool)] = [(1, 9, false), (1, 11, true), (49, nil, true), (51, nil, false)]
    for (from, until, isCause) in cases {
      world.cutOffs = []
      cutOff(from: from, until: until)
      #expect(found(deaths: 1).isEmpty == isCause, "\(from)–\(until ?? 0)")
    }
  }

  @Test("count whoever had asked for the job and was cut off: whether it had begun nobody knows")
  func claims() {
    world.claims[job] = [Self.worker, Self.other]
    #expect(!found(deaths: 1).isEmpty)
    cutOff(from: 1)
    #expect(found(deaths: 1).isEmpty)
    #expect(!found(deaths: 2).isEmpty)
  }

  @Test("find an attempt that was cut short, or is lost, where nobody was cut off")
  func attempts() {
    run()
    cutOff(Self.other, from: 15)
    #expect(!found(attempts: [1: "interrupted"]).isEmpty)
    #expect(!found(errorCode: "lost").isEmpty)
    cutOff(from: 15)
    #expect(found(attempts: [1: "interrupted"]).isEmpty)
    #expect(found(errorCode: "lost").isEmpty)
  }

  @Test("allow one death for each time that messages were lost, and any attempt")
  func lostMessages() {
    world.allowances = [.lostMessages]
    #expect(found(deaths: 1, attempts: [1: "interrupted"]).isEmpty)
    #expect(found(errorCode: "lost").isEmpty)
    #expect(!found(deaths: 2).isEmpty)
    world.allowances = [.lostMessages, .lostMessages]
    #expect(found(deaths: 2).isEmpty)
  }

  @Test("say nothing where the broker has lost its disk, or the ledger was rolled back")
  func unknown() {
    #expect(!found(deaths: 1).isEmpty)
    world.wipes = [Wipe(from: time(1), until: time(2))]
    #expect(found(deaths: 1).isEmpty)
    world.wipes = []
    world.isRolledBack = true
    #expect(found(deaths: 1).isEmpty)
  }
}
