import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Failed jobs", .serialized)
struct FailedTests {
  private static let failing = #"{"kind": "fail", "payload": {"permanent": true}}"#

  @Test("are listed, replayed once, and dropped, by id and by kind; lists have pages, and a report counts all")
  func operations() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let failed = try await system.submit(5, FailedTests.failing)
    let fine = try await system.submit(2, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: failed).values) == ["failed"])
    #expect(Set(try await system.outcomes(of: fine).values) == ["succeeded"])
    #expect(try await system.failed() == Set(failed))
    print(try await system.ask("failed").lines.joined(separator: "\n"))

    try await filters(system, failed)
    try await drop(system, failed[0], fine[0])
    let replay = try await self.replay(system, failed[1])
    _ = try await system.outcomes(of: [replay])
    #expect(try await system.failed() == Set(failed[2...] + [replay]))

    // Those three and the first one's replay.
    #expect(try await system.object("replay", "--kind", "fail", "--yes")["changed"] as? Int == 4)
    try await system.expect(["failed": 10, "held": 0, "queued": 0, "running": 0], of: "work")
    #expect(try await system.failed().isDisjoint(with: failed + [replay]))
    let dropped = try await system.teller("drop", "--kind", "fail", "--yes")
    #expect(dropped.lines.first?.hasPrefix("drop of kind fail: 4 dropped, of 4 looked at, in ") == true, "\(dropped)")
    #expect(try await system.failed().isEmpty)
    #expect(try await system.object("replay", "--all", "--yes")["changed"] as? Int == 0)
    try await pages(system, count: 12)
    try await report(system)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// They are found by time, error and kind, and counted by error.
  private func filters(_ system: TellerSystem, _ failed: [String]) async throws {
    let code = try #require((try await system.show(failed[0])["error"] as? [String: any Sendable])?["error"] as? String)
    #expect(try await system.list("jobs", "--since", "1h", "--error", code) == Set(failed))
    #expect(try await system.list("failed", "--error", code, "-k", "fail", "-n", "100") == Set(failed))
    #expect(try await system.list("jobs", "--until", "1h").isEmpty)
    #expect(try await system.list("failed", "--error", "no_such_code").isEmpty)
    let counts = try await system.ask("failed", "--by-error", "--json").objects
    #expect(counts.count == 1)
    let line = try #require(counts.first)
    #expect(line["jobs"] as? Int == 5 && line["error"] as? String == code && line["kind"] as? String == "fail")
    #expect(failed.contains(line["example"] as? String ?? ""))
    let text = try await system.ask("failed", "--by-error", "--since", "1h").lines
    print(text.joined(separator: "\n"))
    #expect(text.first?.hasPrefix("5\t\(code)\tfail\twork\t") == true, "\(text)")
    #expect(try await system.ask("failed", "--by-error", "--department", "wrok").status == 66)
  }

  @Test("jobs are listed by their key and by their plan")
  func keysAndPlans() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let keyed = try await system.submitOne("noop", "--key", "A-17", "--delay", "1h")
    _ = try await system.submitOne("noop", "--key", "A-18", "--delay", "1h")
    #expect(try await system.list("jobs", "--kind", "noop", "--key", "A-17") == [keyed])
    #expect(try await system.list("jobs", "--kind", "noop", "--key", "A-19").isEmpty)
    let plan = UUID().uuidString.lowercased()
    let steps = #"{"name": "a", "kind": "gate", "rank": 1}, {"name": "b", "kind": "noop", "rank": 2}"#
    _ = try system.submitByPika([try TellerSystem.plan(plan, steps: steps)])
    try await eventually("the plan is accepted", within: TellerSystem.limit, lastState: { system.logs }) {
      try await system.teller("jobs", "--plan", plan).lines.count == 2
    }
    #expect(try await system.list("jobs", "--plan", plan, "--kind", "gate").count == 1)
    let unknown = try await system.ask("jobs", "--plan", UUID().uuidString)
    #expect(unknown.status == 66 && unknown.errors.joined().contains("has no plan"), "\(unknown.errors)")
    try await coordinator.close()
  }

  private func drop(_ system: TellerSystem, _ failed: String, _ fine: String) async throws {
    #expect(TellerSystem.ids(try await system.object("drop", failed)["changed"]) == [failed])
    #expect(try await system.teller("drop", failed).status == 0, "it was dropped already")
    #expect(try await system.teller("drop", fine).status == 2, "it has not failed")
    #expect(try await system.teller("replay", failed).status == 2, "it was dropped")
    #expect(try await system.show(failed)["dropped"] as? Bool == true)
  }

  /// Returns the new job, of which there is one, however often it is asked for.
  private func replay(_ system: TellerSystem, _ failed: String) async throws -> String {
    let first = try await system.object("replay", failed)
    let replay = try #require(TellerSystem.ids(first["replays"]).first)
    let again = try await system.teller("replay", failed)
    #expect(again.status == 0)
    #expect(again.errors.joined().contains("submitted again as \(replay)"), "\(again.errors)")
    #expect(try await system.show(replay)["again_of"] as? String == failed)
    #expect(try await system.show(failed)["replayed_as"] as? String == replay)
    let jobs = try await system.ask("jobs", "--kind", "fail", "--limit", "100", "--json").objects
    #expect(jobs.count { $0["again_of"] as? String == failed } == 1)
    return replay
  }

  private func pages(_ system: TellerSystem, count: Int) async throws {
    let whole = try await system.ask("jobs", "--limit", "100", "--json").objects.compactMap { $0["number"] as? Int }
    #expect(whole.count == count)
    #expect(whole == whole.sorted(by: >))
    var paged: [Int] = []
    while paged.count < count {
      let before = paged.last.map { ["--before", String($0)] } ?? []
      let page = try await system.ask(["jobs", "--limit", "5", "--json"] + before).objects
      #expect(page.count == min(5, count - paged.count))
      try #require(!page.isEmpty)
      paged += page.compactMap { $0["number"] as? Int }
    }
    #expect(paged == whole)
    #expect(try await system.ask("jobs", "--before", String(try #require(whole.last)), "--json").lines.isEmpty)
  }

  private func report(_ system: TellerSystem) async throws {
    let report = try await system.object("report", "--since", "1h")
    let line = try #require((report["lines"] as? [[String: any Sendable]])?.first)
    #expect(line["succeeded"] as? Int == 2)
    #expect(line["failed"] as? Int == 10)
    #expect(line["retries"] as? Int == 0)
    let text = try await system.ask("report", "--since", "1h", "--department", "work").lines
    print(text.joined(separator: "\n"))
    #expect(text.contains { $0.split(separator: " ") == ["work", "2", "10", "0", "0"] })
    #expect(try await system.ask("report", "--since", "1h", "--department", "other").lines == ["nothing has ended"])
    let unknown = try await system.ask("report", "--plan", UUID().uuidString)
    #expect(unknown.status == 66, "\(unknown.errors)")
  }

  @Test("wait between their attempts as the file says: each time longer, up to a limit")
  func backOff() async throws {
    let system = try await TellerSystem.onSharedBroker(
      kinds: [
        "fail": "attempts: 6, retry: {first: 10ms, factor: 100, max: 1h, jitter: 0}",
        "slow": "attempts: 2, timeout: 1s, retry: {first: 2h, max: 2h, jitter: 0}",
      ])
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let failing = try await system.submitOne("fail")
    let slow = try await system.submitOne("slow", "--payload", #"{"ms": 3600000}"#)
    try await system.expect(["retrying": 2], of: "work")
    // 10 ms, 1 s, 100 s.
    try await eventually("three attempts have failed", within: TellerSystem.limit, lastState: { system.logs }) {
      try await system.waits(of: failing).count == 3
    }
    // From when the attempt was recorded: a moment after its end.
    let (last, only) = (try await system.waits(of: failing).last, try await system.waits(of: slow).first)
    #expect((100_000..<200_000).contains(try #require(last)))
    #expect((7_200_000..<7_300_000).contains(try #require(only)))
    let attempts = try await system.show(slow)["attempts_made"] as? [[String: any Sendable]]
    #expect((attempts?.first?["error"] as? [String: any Sendable])?["error"] as? String == "timeout")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("completions are printed for every shell")
  func completions() async throws {
    let system = try TellerSystem(brokerURL: "amqp://127.0.0.1:1/")
    for shell in ["bash", "zsh", "fish"] {
      let ended = try await system.teller("completions", shell)
      #expect(ended.status == 0)
      #expect(ended.lines.contains { $0.contains("rerank") }, "\(shell)")
    }
    #expect(try await system.teller("completions", "csh").status == 64)
  }
}

extension TellerSystem {
  /// The jobs of `teller failed`.
  fileprivate func failed() async throws -> Set<String> { try await list("failed", "--limit", "100") }

  /// The jobs of a list.
  fileprivate func list(_ arguments: String...) async throws -> Set<String> {
    Set(try await ask(arguments + ["--json"]).objects.compactMap { $0["id"] as? String })
  }

  /// The waits behind the attempts of a job that is held now, in milliseconds; all but the last with the time that its
  /// release took.
  fileprivate func waits(of id: String) async throws -> [Int] {
    let job = try await show(id)
    guard let until = job["not_before_ms"] as? Int else { return [] }
    let attempts = (job["attempts_made"] as? [[String: any Sendable]]) ?? []
    let (starts, ends) = (attempts.map { $0["started_ms"] as? Int ?? 0 }, attempts.map { $0["ended_ms"] as? Int ?? 0 })
    return zip(starts.dropFirst() + [until], ends).map { $0 - $1 }
  }
}
