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
  /// How many of them are played beside each other: most of their time is waiting for leases.
  private static let width = 12
  private static let neighbours = 40
  /// How often a neighbour runs: at most three deaths cut it off, then it succeeds. The poison's first start may be
  /// known to nobody. After two more deaths the poison is a suspect, as is a neighbour that is known to have run at
  /// two, and no two suspects run in one worker. The exploration of suspects finds the same.
  private static let mostRuns = 4
  /// So short that a death costs little; a living worker that is taken for dead costs its jobs an interruption.
  private static let lease = "8s"

  @Test("succeed wherever it lands, and it fails")
  func placements() async throws {
    var random = SeededRandom(for: "placements of a poison")
    var placements = (1...NeighbourTests.count).map { (number: $0, placement: Placement(using: &random)) }
    // One is sure to have neighbours in the same worker.
    placements[0].placement.tellers = [6]
    let seed = random.seed
    let mostRuns = try await withThrowingTaskGroup(of: Int.self) { group in
      var (rest, mostRuns) = (placements[...], 0)
      for _ in 0..<NeighbourTests.width { play(rest.popFirst(), seed, in: &group) }
      while let runs = try await group.next() {
        mostRuns = max(mostRuns, runs)
        play(rest.popFirst(), seed, in: &group)
      }
      return mostRuns
    }
    print("\(placements.count) placements: a neighbour ran at most \(mostRuns) times; TELLER_TEST_SEED=\(seed)")
  }

  private func play(
    _ next: (number: Int, placement: Placement)?, _ seed: UInt64, in group: inout ThrowingTaskGroup<Int, any Error>
  ) {
    guard let (number, placement) = next else { return }
    group.addTask {
      let (runs, deaths) = try await outcome(of: placement, "placement \(number), TELLER_TEST_SEED=\(seed)")
      print("placement \(number), \(placement): \(deaths) deaths, a neighbour ran at most \(runs) times")
      return runs
    }
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
    let (workers, ends) = try await serve(placement.tellers, system)
    let deaths = ends.count
    let states = try await system.outcomes(of: innocent + poison)
    let error = try await system.show(poison[0])["error"] as? [String: any Sendable]
    #expect(states[poison[0]] == "failed" && error?["error"] as? String == "poison", "\(name)")
    #expect(innocent.allSatisfy { states[$0] == "succeeded" }, "\(name): \(states)")
    for process in workers + [coordinator] { try await process.close() }
    let most = Dictionary(grouping: system.effects, by: \.job).values.max { $0.count < $1.count } ?? []
    let runs = most.count
    // On a busy machine a living worker may be taken for dead, too.
    let log = coordinator.text(of: .standardError)
    let leases = log.count { $0.contains("worker silent for its lease") }
    let seen = (ends + most.map { "\($0)" } + log).joined(separator: "\n")
    #expect(
      runs <= NeighbourTests.mostRuns + max(0, leases - deaths),
      "\(name): \(leases) leases, \(deaths) deaths; poison \(poison[0])\n\(seen)")
    return (runs, deaths)
  }

  /// Starts workers, and each that has died again, until every job has its outcome.
  private func serve(_ tellers: [Int], _ system: TellerSystem) async throws -> (
    workers: [RunningProcess], ends: [String]
  ) {
    var workers = try tellers.map { try system.launchWorker(["work=\($0)"]) }
    var ends: [String] = []
    try await eventually("every job has its outcome", within: TellerSystem.longLimit * 2, lastState: { system.logs }) {
      for (index, worker) in workers.enumerated() {
        guard let status = worker.exitStatus else { continue }
        ends.append("\(Date.now.formatted(.iso8601)) worker \(worker.pid) has ended: \(status)")
        workers[index] = try system.launchWorker(["work=\(tellers[index])"])
      }
      let department = try await system.department("work")
      let ended = ["succeeded", "failed", "cancelled"].map { department[$0] as? Int ?? 0 }.reduce(0, +)
      return ended == NeighbourTests.neighbours + 1
    }
    return (workers, ends)
  }
}
