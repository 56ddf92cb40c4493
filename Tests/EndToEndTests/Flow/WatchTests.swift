import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A watch", .serialized)
struct WatchTests {
  private static let count = 400

  /// One recorded event as `watch --json` prints it.
  private struct Event: Decodable {
    var event: String
    var job: String
    var epoch: Int?
    var seq: Int64?
  }

  private func events(in lines: [String]) -> [Event] {
    lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }.filter { $0.seq != nil }
  }

  @Test("sees each outcome once, in one sequence, though the broker closes all connections again and again")
  func survives() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let first = try await system.submit(1, #"{"kind": "noop"}"#)
    // It follows before the first cut.
    let watch = try await system.startWatch(since: "start", showing: first[0])
    let batch = try system.beginSubmitting(WatchTests.count, payload: #"{"ms": 20}"#)
    let all = first + batch.ids
    for cut in 1...3 {
      try await eventually("a part of the jobs has run", within: TellerSystem.longLimit) {
        system.effects.count >= cut * WatchTests.count / 5
      }
      try await system.closeAllConnections()
    }
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await eventually("the watch has seen every outcome", within: TellerSystem.longLimit) {
      Set(events(in: watch.text(of: .standardOutput)).map(\.job)).isSuperset(of: all)
    }
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)

    let seen = events(in: watch.text(of: .standardOutput))
    #expect(seen.map(\.job).sorted() == all.sorted())
    #expect(seen.allSatisfy { $0.event == "succeeded" })
    #expect(Set(seen.map(\.epoch)).count == 1)
    #expect(seen.compactMap(\.seq) == Array(1...Int64(all.count)))
    system.expectSecondRunsOnly(after: [])
    try await later(system, seen)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("ends when nobody reads it any more")
  func unread() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let command = "'\(try BuiltProducts.url("teller").path)' watch --since start | head -1"
    let watch = try system.launch(URL(fileURLWithPath: "/bin/sh"), named: "watch | head", ["-c", command])
    try await eventually("the watch has ended", within: TellerSystem.longLimit) {
      _ = try await system.submit(1, #"{"kind": "noop"}"#)
      return watch.exitStatus != nil
    }
    #expect(watch.text(of: .standardOutput).count == 1)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// Who comes later sees the same, from where he wants.
  private func later(_ system: TellerSystem, _ seen: [Event]) async throws {
    let (behind, last) = (try #require(seen.dropLast(3).last), try #require(seen.last))
    let position = "\(try #require(behind.epoch))/\(try #require(behind.seq))"
    let later = events(in: try await system.watch(since: position, untilJob: last.job))
    #expect(later.map(\.job) == seen.suffix(3).map(\.job))
  }
}
