import Foundation
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

  private func events(of watch: RunningProcess) -> [Event] {
    watch.text(of: .standardOutput).compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
      .filter { $0.seq != nil }
  }

  @Test("sees each outcome once, in one sequence, though the broker closes all connections again and again")
  func survives() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let watch = try system.launch("teller", ["watch", "--since", "start", "--json"])
    let batch = system.batch(WatchTests.count, kind: "effect", payload: #"{"ms": 20}"#)
    let submitter = try system.launch("teller", ["submit", "--batch", "-"])
    try submitter.write(batch.text)
    submitter.closeInput()
    for cut in 1...3 {
      try await eventually("a part of the jobs has run", within: TellerSystem.limit) {
        system.effects.count >= cut * WatchTests.count / 5
      }
      try await system.closeAllConnections()
    }
    #expect(try await submitter.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    try await eventually("the watch has seen every outcome", within: TellerSystem.limit) {
      Set(events(of: watch).map(\.job)).isSuperset(of: batch.ids)
    }
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)

    let seen = events(of: watch)
    #expect(seen.map(\.job).sorted() == batch.ids.sorted())
    #expect(seen.allSatisfy { $0.event == "succeeded" })
    #expect(Set(seen.map(\.epoch)).count == 1)
    #expect(seen.compactMap(\.seq) == Array(1...Int64(WatchTests.count)))
    system.expectSecondRunsOnly(after: [])
    try await later(system, seen)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// Who comes later sees the same, from where he wants.
  private func later(_ system: TellerSystem, _ seen: [Event]) async throws {
    let (behind, last) = (try #require(seen.dropLast(3).last), try #require(seen.last))
    let position = "\(try #require(behind.epoch))/\(try #require(behind.seq))"
    let watch = try system.launch("teller", ["watch", "--since", position, "--json"])
    try await watch.waitForLine(containing: last.job, within: TellerSystem.limit)
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)
    #expect(events(of: watch).map(\.job) == seen.suffix(3).map(\.job))
  }
}

extension TellerSystem {
  /// Has the broker close every connection to the system's virtual host.
  fileprivate func closeAllConnections() async throws {
    let virtualHost = brokerURL.split(separator: "/").last.map(String.init) ?? ""
    try await BrokerNode.shared.ctl("close_all_connections", "--vhost", virtualHost, "a test")
  }
}
