import Foundation
import SystemSupport
import TestSupport
import Testing

extension TellerSystem {
  /// A fresh job goes the whole way: what is left of the system serves.
  func servesAgain(_ what: String, since start: ContinuousClock.Instant) async throws {
    let ended = try await teller("submit", "noop", "--wait")
    #expect(ended.status == 0, "\(what): a fresh job did not go through: \(ended.errors)\n\(logs)")
    print("\(what): served again after \(ContinuousClock.now - start)")
  }

  /// Every job has exactly one outcome and one notification of it.
  func expectOneOutcomeEach(_ ids: [String]) async throws {
    let states = try await outcomes(of: ids)
    #expect(states.count == ids.count)
    #expect(Set(states.values) == ["succeeded"])
    let last = try await teller("submit", "noop", "--wait", "--json").objects.compactMap { $0["job"] as? String }
    let notified = try await notifications(untilJob: try #require(last.last))
    let counts = Dictionary(notified.map { ($0.job, 1) }, uniquingKeysWith: +)
    for id in ids { #expect(counts[id] == 1, "job \(id) has \(counts[id] ?? 0) notifications") }
  }

  /// No job ran twice that the dead worker was not running.
  func expectSecondRunsOnly(after dead: Set<pid_t>) {
    let runs = Dictionary(grouping: effects, by: \.job)
    for (job, runs) in runs where runs.count > 1 {
      let earlier = runs.dropLast().map(\.pid)
      #expect(earlier.allSatisfy(dead.contains), "job \(job) ran \(runs.count) times, in \(runs.map(\.pid))")
    }
  }
}
