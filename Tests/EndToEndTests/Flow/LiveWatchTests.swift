import SystemSupport
import TestSupport
import Testing

@Suite("A watch of what is not recorded")
struct LiveWatchTests {
  @Test("prints that jobs are accepted and released, if the settings ask for it; another watch does not print it")
  func changes() async throws {
    let system = try await TellerSystem.onSharedBroker(more: "live: [accepted, released]\n")
    let coordinator = try await system.startCoordinator()
    let asking = try await watch(system, "accepted", "released", "paused")
    let other = try await watch(system)
    let jobs = try await system.submit(3, #"{"kind": "noop"}"#)
    let worker = try await system.startWorker("work=2")
    _ = try await system.outcomes(of: jobs)
    try await other.waitForLine(named: "an outcome", within: TellerSystem.limit) { $0.contains("succeeded") }
    for event in ["accepted", "released"] {
      try await eventually("each job is \(event)", within: TellerSystem.limit, lastState: { system.logs }) {
        let lines = asking.text(of: .standardOutput).filter { $0.contains("\"\(event)\"") }
        return lines.count == 3 && jobs.allSatisfy { job in lines.contains { $0.contains(job) } }
      }
    }
    let printed = other.text(of: .standardOutput)
    #expect(!printed.contains { $0.contains("accepted") || $0.contains("released") }, "\(printed)")
    for process in [asking, other, worker, coordinator] { try await process.close() }
  }

  /// A watch that has begun: it has printed the pause of a department.
  private func watch(_ system: TellerSystem, _ events: String...) async throws -> RunningProcess {
    let filter = events.isEmpty ? [] : ["--event"] + events
    let watch = try system.launch("teller", ["watch", "--json"] + filter)
    try await eventually("the watch has begun", within: TellerSystem.limit) {
      _ = try await system.teller("pause", "work")
      _ = try await system.teller("resume", "work")
      return watch.text(of: .standardOutput).contains { $0.contains("paused") }
    }
    return watch
  }
}
