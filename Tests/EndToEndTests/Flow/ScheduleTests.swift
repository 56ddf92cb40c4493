import Foundation
import JobModel
import Ledger
import SystemSupport
import TestSupport
import Testing

@Suite("A schedule")
struct ScheduleTests {
  private static let minute: Int64 = 60_000

  @Test("makes one job of each firing, though a coordinator dies before it has recorded one, and another one after")
  func coordinatorsDie() async throws {
    let system = try await TellerSystem.onSharedBroker(
      more: "schedules: {tick: {cron: '* * * * *', kind: effect, payload: {}}}\n")
    let start = Timestamp.now()
    try remember(["tick"], firedAt: start, system)
    for point in ["schedules.before-record", "schedules.after-record"] {
      let doomed = try system.launch("teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": point])
      #expect(try await doomed.waitForExit(within: TellerSystem.longLimit) == 128 + SIGKILL)
    }
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    var expected: [String] = []
    try await eventually("each firing has one job", within: TellerSystem.limit, lastState: { system.logs }) {
      expected = firings(after: start)
      let listed = try await jobs(system)
      // Asked again in the next minute if one has begun meanwhile.
      return listed.sorted() == expected.sorted() && firings(after: start) == expected
    }
    #expect(!expected.isEmpty)
    #expect(Set(try await system.outcomes(of: expected).values) == ["succeeded"])
    #expect(system.effects.map(\.job).filter(expected.contains).sorted() == expected.sorted())
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("makes up for ten firings that nobody saw to as it is told: for none, for the last, or for all")
  func missed() async throws {
    // Ten minutes of the last quarter of an hour, none of them so late that it counts as in time.
    let now = Timestamp.now().milliseconds / ScheduleTests.minute
    let times = (4...13).map { now - $0 }.sorted()
    let cron = "\(times.map { $0 % 60 }.sorted().map(String.init).joined(separator: ",")) * * * *"
    let rules = MissedRuns.allCases.map(\.rawValue)
    let schedules = rules.map { "  \($0): {cron: '\(cron)', kind: effect, payload: {}, missed: \($0)}\n" }
    let system = try await TellerSystem.onSharedBroker(more: "schedules:\n" + schedules.joined())
    try remember(rules, firedAt: Timestamp(milliseconds: (now - 14) * ScheduleTests.minute), system)
    let coordinator = try await system.startCoordinator()
    let fired = times.map { Timestamp(milliseconds: $0 * ScheduleTests.minute) }
    let expected =
      fired.suffix(1).map { JobID(schedule: "once", firedAt: $0) }
      + fired.map { JobID(schedule: "all", firedAt: $0) }
    var listed: [String] = []
    // One turn fires all of them.
    try await eventually("the missed firings have jobs", within: TellerSystem.limit, lastState: { system.logs }) {
      listed = try await jobs(system)
      return !listed.isEmpty
    }
    #expect(listed.sorted() == expected.map(\.description).sorted())
    // Nor does another coordinator make up for them once more.
    try await coordinator.close()
    let second = try await system.startCoordinator()
    _ = try await system.submit(1, #"{"kind": "noop"}"#)
    #expect(try await jobs(system).sorted() == listed.sorted())
    try await second.close()
  }

  /// Writes into the ledger when these fired last; no coordinator has it.
  private func remember(_ names: [String], firedAt time: Timestamp, _ system: TellerSystem) throws {
    let ledger = try Ledger(path: system.ledger.path)
    try ledger.write { transaction in
      // As a version wrote it that did not know of edits.
      for name in names { try transaction.setMark(ScheduleMark(last: time, identity: nil), of: name) }
    }
    try ledger.close()
  }

  /// The jobs of each minute since then.
  private func firings(after start: Timestamp) -> [String] {
    let (first, last) = (start.milliseconds / ScheduleTests.minute, Timestamp.now().milliseconds / ScheduleTests.minute)
    guard last > first else { return [] }
    return (first + 1...last).map { minute in
      JobID(schedule: "tick", firedAt: Timestamp(milliseconds: minute * ScheduleTests.minute)).description
    }
  }

  private func jobs(_ system: TellerSystem) async throws -> [String] {
    try await system.ask("jobs", "--kind", "effect", "--json").objects.compactMap { $0["id"] as? String }
  }
}
