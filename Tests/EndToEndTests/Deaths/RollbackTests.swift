import Foundation
import JobModel
import Ledger
import SystemSupport
import TestSupport
import Testing

/// A ledger whose file was replaced by an older copy of it, while the broker has gone on.
@Suite("A ledger that is rolled back")
struct RollbackTests {
  private static let line = #"{"kind": "effect", "payload": {}}"#
  private static let parts = ["", "-wal", "-shm"]

  @Test("begins a new epoch: no number is used twice, and what an older one released does not run without a claim")
  func restored() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let before = try await jobsBeforeTheCopy(system)
    try copy("teller.ledger", to: "copy.ledger", system)
    let later = try await jobsAfterTheCopy(system, before.queued)
    try copy("copy.ledger", to: "teller.ledger", system)
    let coordinator = try await system.startCoordinator()
    try await coordinator.waitForLine(containing: "a new epoch begins", within: TellerSystem.limit)
    #expect(try await system.ask("status", "--json").objects.first?["epoch"] as? Int == 2)
    let worker = try await system.startWorker("work=4")
    let new = try await system.submit(20, RollbackTests.line)
    #expect(Set(try await system.outcomes(of: before.done + new).values) == ["succeeded"])
    try await expectRunAgain(before.queued, coordinator, system)
    // What was accepted after the copy is unknown: what had not run is claimed and dropped, and never runs.
    for job in later.done + later.waiting { #expect(try await system.ask("show", job).status == 66) }
    let runs = Dictionary(grouping: system.effects, by: \.job).mapValues(\.count)
    for job in before.done + later.done + new { #expect(runs[job] == 1, "job \(job)") }
    for job in later.waiting { #expect(runs[job] == nil, "job \(job)") }
    try await expectNumbersOnce(system, later.done, new)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("holds the jobs and firings that may have run, until they are accepted or dropped")
  func held() async throws {
    let system = try await TellerSystem.onSharedBroker(
      lease: TellerSystem.leaseOfTheDead,
      more: "schedules: {tick: {cron: '* * * * *', kind: noop, department: work, missed: all}}\n")
    let coordinator = try await system.startCoordinator()
    let moment = Timestamp.now() + .seconds(20)
    let line = #"{"kind": "effect", "payload": {}, "at": "\#(moment.date.formatted(.iso8601))"}"#
    let scheduled = try await system.submit(2, line)
    try await drain(coordinator)
    try copy("teller.ledger", to: "copy.ledger", system)
    let second = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    _ = try await system.outcomes(of: scheduled)
    try await drain(second)
    try remember(firedBefore: .seconds(200), in: "copy.ledger", system)
    try copy("copy.ledger", to: "teller.ledger", system)
    let third = try await system.startCoordinator()
    try await third.waitForLine(containing: "the ledger was restored, and jobs", within: TellerSystem.limit)
    let restored = try await departments(system)["work"] ?? 0
    // Two jobs, and at least three firings.
    #expect((5...8).contains(restored), "\(restored): \(system.logs)")
    let explained = try await system.ask("explain", scheduled[0], "--json").objects.first?["reasons"]
    #expect("\(explained ?? "")".contains("restored"))
    let dropped = try await system.ask("restore", "drop", "--kind", "noop", "--yes", "--json").objects.first
    #expect(dropped?["changed"] as? Int == restored - 2 && dropped?["action"] as? String == "drop_restored")
    #expect(try await system.ask("restore", "accept", "--json").objects.first?["changed"] as? Int == 2)
    #expect(Set(try await system.outcomes(of: scheduled).values) == ["succeeded"])
    #expect(Dictionary(grouping: system.effects, by: \.job).mapValues(\.count) == [scheduled[0]: 2, scheduled[1]: 2])
    #expect(try await departments(system)["work"] == 0)
    let actions = try await system.ask("actions", "--json").objects.compactMap { $0["action"] as? String }
    #expect(Set(actions).isSuperset(of: ["accept_restored", "drop_restored"]))
    for process in [worker, third] { try await process.close() }
  }

  /// How many jobs each department holds since the restore.
  private func departments(_ system: TellerSystem) async throws -> [String: Int] {
    let status = try await system.ask("status", "--json").objects.first
    let departments = status?["departments"] as? [[String: any Sendable]] ?? []
    return departments.reduce(into: [:]) { counts, one in
      if let name = one["name"] as? String { counts[name] = one["restored"] as? Int }
    }
  }

  /// Writes into a copy that its schedule fired so long ago.
  private func remember(firedBefore age: Duration, in file: String, _ system: TellerSystem) throws {
    let ledger = try Ledger(path: system.folder.appending(file).path)
    try ledger.write { try $0.setMark(ScheduleMark(last: .now() - age, identity: nil), of: "tick") }
    try ledger.close()
  }

  @Test("who waits for many jobs that are not known any more is told of all of them at once")
  func submitterOfTheForgotten() async throws {
    // One after the other they would take longer than the limit of this test.
    let count = 100
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    try await drain(try await system.startCoordinator())
    try copy("teller.ledger", to: "copy.ledger", system)
    let coordinator = try await system.startCoordinator()
    let client = try system.launch(
      "teller", ["submit", "noop", "--count", String(count), "--wait", "--json", "--within", "280s"])
    func events(_ name: String) -> Int {
      client.text(of: .standardOutput).count { $0.contains(#""event":"\#(name)""#) }
    }
    try await eventually(
      "all are accepted", within: TellerSystem.limit, lastState: { "\(events("accepted"))\n\(system.logs)" }
    ) {
      events("accepted") == count
    }
    try await drain(coordinator)
    try copy("copy.ledger", to: "teller.ledger", system)
    let later = try await system.startCoordinator()
    #expect(try await client.waitForExit(within: TellerSystem.longLimit) == 66, "\(system.logs)")
    #expect(events("unknown") == count)
    try await later.close()
  }

  /// Some that have ended, and some that are released to a queue that nobody reads.
  private func jobsBeforeTheCopy(_ system: TellerSystem) async throws -> (done: [String], queued: [String]) {
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let done = try await system.submit(20, RollbackTests.line)
    _ = try await system.outcomes(of: done)
    try await drain(worker)
    let queued = try await system.submit(5, RollbackTests.line)
    try await drain(coordinator)
    return (done, queued)
  }

  /// The same, and those that were queued have ended too.
  private func jobsAfterTheCopy(
    _ system: TellerSystem, _ queued: [String]
  ) async throws -> (done: [String], waiting: [String]) {
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let done = try await system.submit(20, RollbackTests.line)
    _ = try await system.outcomes(of: queued + done)
    try await drain(worker)
    let waiting = try await system.submit(5, RollbackTests.line)
    try await drain(coordinator)
    return (done, waiting)
  }

  /// The copy knows only that they were released: they are missed, claimed, and released anew.
  private func expectRunAgain(
    _ queued: [String], _ coordinator: RunningProcess, _ system: TellerSystem
  ) async throws {
    #expect(Set(try await system.outcomes(of: queued).values) == ["succeeded"], "\(system.logs)")
    let runs = system.effects.filter { queued.contains($0.job) }
    #expect(runs.count == 2 * queued.count)
    try await coordinator.expectLost(queued.count)
  }

  /// Each (epoch, number) of the stream is one notification.
  private func expectNumbersOnce(_ system: TellerSystem, _ earlier: [String], _ new: [String]) async throws {
    let last = try await system.teller("submit", "noop", "--wait", "--json").objects.compactMap { $0["job"] as? String }
    let lines = try await system.watch(since: "start", untilJob: try #require(last.last))
    let events = lines.compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable]
    }.compactMap { event -> (job: String, epoch: Int, number: Int)? in
      guard let job = event["job"] as? String, let epoch = event["epoch"] as? Int, let number = event["seq"] as? Int
      else { return nil }
      return (job, epoch, number)
    }
    let numbers = events.map { [$0.epoch, $0.number] }
    #expect(Set(numbers).count == numbers.count)
    let epochs = Dictionary(events.map { ($0.job, $0.epoch) }, uniquingKeysWith: { first, _ in first })
    #expect(Set(earlier.map { epochs[$0] }) == [1])
    #expect(Set(new.map { epochs[$0] }) == [2])
  }

  private func drain(_ process: RunningProcess) async throws {
    process.signal(SIGTERM)
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 0)
  }

  private func copy(_ from: String, to target: String, _ system: TellerSystem) throws {
    for part in RollbackTests.parts {
      let (from, target) = (system.folder.appending(from + part), system.folder.appending(target + part))
      try? FileManager.default.removeItem(at: target)
      guard FileManager.default.fileExists(atPath: from.path) else { continue }
      try FileManager.default.copyItem(at: from, to: target)
    }
  }
}
