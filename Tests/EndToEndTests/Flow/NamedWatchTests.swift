import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A watch with a name, from the command line")
struct NamedWatchTests {
  private func numbers(_ lines: [String]) -> [Int] {
    TellerSystem.Ended(status: 0, lines: lines, errors: []).objects.compactMap { $0["seq"] as? Int }
  }

  /// A watch until it has printed the outcome of a job, ended by a signal.
  private func watch(
    _ system: TellerSystem, until job: String, _ signal: Int32 = SIGTERM
  ) async throws -> (status: Int32, numbers: [Int]) {
    let watch = try system.launch("teller", ["watch", "--name", "audit", "--since", "start", "--json"])
    try await watch.waitForLine(named: "the outcome of \(job)", within: TellerSystem.limit) {
      $0.contains(job) && $0.contains(#""seq""#)
    }
    watch.signal(signal)
    let status = try await watch.waitForExit(within: TellerSystem.limit)
    return (status, numbers(watch.text(of: .standardOutput)))
  }

  @Test("goes on behind what it has printed; its place is listed, survives the coordinator, and is forgotten")
  func place() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let first = try await system.submit(3, #"{"kind": "noop"}"#)
    _ = try await system.outcomes(of: first)
    let watched = try await watch(system, until: try #require(try await last(system)))
    #expect(watched.status == 130 && watched.numbers == [1, 2, 3], "\(system.logs)")

    coordinator.signal(SIGKILL)
    try await coordinator.waitForExit(within: TellerSystem.limit)
    let next = try await system.startCoordinator()
    let second = try await system.submit(2, #"{"kind": "noop"}"#)
    _ = try await system.outcomes(of: second)
    let listed = try #require(try await system.ask("subscribers", "--json").objects.first)
    #expect(listed["name"] as? String == "audit" && listed["seq"] as? Int == 3 && listed["behind"] as? Int == 2)
    let line = try #require(try await system.ask("subscribers").lines.first)
    #expect(line.hasPrefix("audit\t1/3"), "\(line)")

    let later = try await watch(system, until: try #require(try await last(system)), SIGINT)
    #expect(later.status == 130 && later.numbers == [4, 5], "\(system.logs)")
    #expect(try await system.teller("subscribers", "forget", "audit").lines == ["the place of audit is forgotten"])
    let again = try await system.teller("subscribers", "forget", "audit", "--json")
    #expect(again.objects.first?["changed"] as? Bool == false)
    #expect(try await system.ask("subscribers", "--json").lines.isEmpty)
    for process in [worker, next] { try await process.close() }
  }

  /// The job of the last event.
  private func last(_ system: TellerSystem) async throws -> String? {
    let jobs = try await system.ask("jobs", "--json", "-n", "1000").objects.compactMap { $0["id"] as? String }
    var told: [String] = []
    let watch = try system.launch("teller", ["watch", "--since", "start", "--json"])
    try await eventually("every job is told", within: TellerSystem.limit) {
      told = TellerSystem.Ended(status: 0, lines: watch.text(of: .standardOutput), errors: []).objects
        .filter { $0["seq"] as? Int != nil }.compactMap { $0["job"] as? String }
      return told.count == jobs.count
    }
    try await watch.close()
    return told.last
  }
}
