import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport
import Testing

/// Pairs of equal submissions at the same moment, from two clients, while the coordinator is killed again and again and
/// the broker is started anew. So many pairs: `TELLER_TEST_PAIRS=200`; without the variable a few.
@Suite("Two equal submissions at once, through faults")
struct KeyPairTests {
  static let variable = "TELLER_TEST_PAIRS"
  private static let pairs = ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? 12
  /// So many pairs between two faults.
  private static let wave = 10

  @Test("are one job, one run and one outcome for each subscriber; both clients, and who asks late, hold the same")
  func pairs() async throws {
    let broker = try await BrokerNode.start()
    let scene = try await PairScene(on: broker)
    try await scene.begin()
    var outcomes: [PairOutcome] = []
    let keys = (0..<Self.pairs).map { "pair \($0)" }
    for (number, start) in stride(from: 0, to: keys.count, by: Self.wave).enumerated() {
      let wave = Array(keys[start..<min(start + Self.wave, keys.count)])
      let (fault, runs) = (PairFault.allCases[number % PairFault.allCases.count], outcomes.count)
      async let harm: Void = scene.harm(fault, after: runs)
      outcomes += try await together(wave, atMost: wave.count) { try await scene.submitPair($0) }
      try await harm
    }
    let jobs = Set(outcomes.map(\.job))
    #expect(outcomes.filter { !$0.isEqual }.isEmpty, "both clients of a pair hold the same outcome of the same job")
    #expect(jobs.count == Self.pairs)
    #expect(try await scene.recordedJobs() == jobs)
    #expect(scene.runs.sorted() == jobs.map(\.description).sorted(), "one run each")
    for told in try await scene.told() {
      #expect(told.sorted() == jobs.map(\.description).sorted(), "one outcome each")
    }
    for outcome in outcomes { #expect(try await scene.outcome(of: outcome.key) == outcome.first) }
    let late = try await scene.system.ask("outcome", "--kind", "effect", "--key", keys[0], "--wait", "--json")
    #expect(late.objects.first?["job"] as? String == outcomes.first { $0.key == keys[0] }?.job.description)
    try await scene.close()
    try await broker.close()
  }
}

/// What both clients of a pair hold in the end.
struct PairOutcome: Sendable {
  let key: String
  /// The job that the outcomes are of, as each client knows it.
  let jobs: [JobID]
  let first: Outcome
  let second: Outcome

  var job: JobID { jobs[0] }
  var isEqual: Bool { Set(jobs).count == 1 && first == second }
}

/// What happens while the pairs of one wave are submitted.
enum PairFault: CaseIterable, Sendable {
  case coordinatorKilled, brokerKilled
  case diesBeforeAcceptance, diesAfterAcceptance, diesBeforeEnd, diesAfterEnd

  /// The point of the flow at which a coordinator dies by itself.
  var point: String? {
    switch self {
    case .coordinatorKilled, .brokerKilled: nil
    case .diesBeforeAcceptance: "intake.before-record"
    case .diesAfterAcceptance: "intake.after-record-before-ack"
    case .diesBeforeEnd: "recorder.before-record"
    case .diesAfterEnd: "recorder.after-record-before-ack"
    }
  }
}
