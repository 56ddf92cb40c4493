import Foundation
import TestSupport
import Testing

extension TellerSystem {
  /// Waits until all these jobs have their outcome, and returns their states by id.
  func outcomes(of ids: [String]) async throws -> [String: String] {
    let file = folder.appending("ids-\(UUID().uuidString)")
    try Data(ids.joined(separator: "\n").utf8).write(to: file)
    var states: [String: String] = [:]
    for start in stride(from: 0, to: ids.count, by: 500) {
      let page = Array(ids[start..<min(start + 500, ids.count)])
      let ended = try await run("teller", ["wait", "--json", "--timeout", "80s"] + page)
      for object in ended.objects {
        if let job = object["id"] as? String, let state = object["state"] as? String { states[job] = state }
      }
    }
    return states
  }

  /// Every recorded notification of the stream so far, up to the one of the given job.
  func notifications(untilJob last: String) async throws -> [(job: String, event: String)] {
    let watch = try launch("teller", ["watch", "--since", "start", "--json"])
    try await watch.waitForLine(containing: last, within: TellerSystem.limit)
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)
    return watch.text(of: .standardOutput).compactMap { line in
      guard let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable],
        object["seq"] is NSNumber || object["seq"] is Int, let job = object["job"] as? String,
        let event = object["event"] as? String
      else { return nil }
      return (job, event)
    }
  }

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
