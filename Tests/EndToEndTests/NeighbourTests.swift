import Foundation
import SystemSupport
import TestSupport
import Testing

/// One job that kills its worker each time among forty that do not, in workers that are started again as Docker does.
@Suite("The neighbours of a job that kills its workers", .serialized)
struct NeighbourTests {
  /// How many placements are tried; set it to try more.
  static let variable = "TELLER_TEST_PLACEMENTS"
  private static let count = ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? 2
  private static let neighbours = 40
  /// So short that a death costs little; a living worker that is taken for dead costs its jobs an interruption.
  private static let lease = "8s"

  @Test("succeed wherever it lands, and it fails")
  func placements() async throws {
    var random = SeededRandom(for: "placements of a poison")
    var mostRuns = 0
    for number in 1...NeighbourTests.count {
      let placement = Placement(using: &random)
      let (runs, deaths) = try await outcome(of: placement, "placement \(number), TELLER_TEST_SEED=\(random.seed)")
      print("placement \(number), \(placement): \(deaths) deaths, a neighbour ran at most \(runs) times")
      mostRuns = max(mostRuns, runs)
    }
    print(
      "\(NeighbourTests.count) placements: a neighbour ran at most \(mostRuns) times; TELLER_TEST_SEED=\(random.seed)")
  }

  private struct Placement {
    var tellers: [Int]
    var before: Int
    var ms: Int

    init(using random: inout SeededRandom) {
      tellers = (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 1...8, using: &random) }
      before = Int.random(in: 0...NeighbourTests.neighbours, using: &random)
      ms = Int.random(in: 50...3_000, using: &random)
    }
  }

  private func outcome(of placement: Placement, _ name: String) async throws -> (runs: Int, deaths: Int) {
    let system = try await TellerSystem.onSharedBroker(lease: NeighbourTests.lease)
    let coordinator = try await system.startCoordinator()
    let neighbour = #"{"kind": "effect", "payload": {"ms": \#(placement.ms)}}"#
    var innocent = placement.before == 0 ? [] : try await system.submit(placement.before, neighbour)
    let poison = try await system.submit(1, #"{"kind": "crash", "payload": {}}"#)
    let after = NeighbourTests.neighbours - placement.before
    if after > 0 { innocent += try await system.submit(after, neighbour) }
    let (workers, deaths) = try await serve(placement.tellers, system)
    let states = try await system.outcomes(of: innocent + poison)
    #expect(states[poison[0]] == "failed", "\(name)")
    #expect(innocent.allSatisfy { states[$0] == "succeeded" }, "\(name): \(states)")
    for process in workers + [coordinator] { try await process.close() }
    let runs = Dictionary(grouping: system.effects, by: \.job).values.map(\.count).max() ?? 0
    return (runs, deaths)
  }

  /// Starts workers, and each that has died again, until every job has its outcome.
  private func serve(_ tellers: [Int], _ system: TellerSystem) async throws -> (workers: [RunningProcess], deaths: Int)
  {
    var workers = try tellers.map { try system.launchWorker(["work=\($0)"]) }
    var deaths = 0
    try await eventually("every job has its outcome", within: TellerSystem.longLimit * 2, lastState: { system.logs }) {
      for (index, worker) in workers.enumerated() where worker.exitStatus != nil {
        deaths += 1
        workers[index] = try system.launchWorker(["work=\(tellers[index])"])
      }
      let department = try await system.department("work")
      let ended = ["succeeded", "failed", "cancelled"].map { department[$0] as? Int ?? 0 }.reduce(0, +)
      return ended == NeighbourTests.neighbours + 1
    }
    return (workers, deaths)
  }
}
