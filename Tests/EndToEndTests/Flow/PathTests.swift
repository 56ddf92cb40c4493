import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("The whole path", .serialized)
struct PathTests {
  @Test("a job is submitted, run, recorded, shown, listed, counted and announced")
  func wholePath() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let echoed = try await system.teller("submit", "echo", "--payload", #"{"cents": 500}"#, "--wait", "--json")
    #expect(echoed.status == 0)
    let outcome = try #require(echoed.objects.first { $0["event"] as? String == "succeeded" })
    #expect((outcome["result"] as? String)?.contains("500") == true)
    let id = try #require(outcome["job"] as? String)

    let shown = try #require(try await system.ask("show", id, "--json").objects.first)
    #expect(shown["state"] as? String == "succeeded")
    #expect((shown["attempts_made"] as? [any Sendable])?.count == 1)
    let listed = try await system.ask("jobs", "--state", "succeeded", "--json").objects
    #expect(listed.compactMap { $0["id"] as? String } == [id])
    #expect(try await system.department("work")["succeeded"] as? Int == 1)
    #expect(try await system.notifications(untilJob: id).map(\.event) == ["succeeded"])
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a job that fails is tried again, and one that cannot succeed is not")
  func failing() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let twice = try await system.teller("submit", "fail", "--payload", #"{"times": 2}"#, "--wait", "--json")
    #expect(twice.status == 0)
    let id = try #require(twice.objects.compactMap { $0["job"] as? String }.first)
    let attempts = try #require(
      try await system.ask("show", id, "--json").objects.first?["attempts_made"] as? [[String: any Sendable]])
    #expect(attempts.compactMap { $0["result"] as? String } == ["failed", "failed", "succeeded"])

    let always = try await system.teller("submit", "fail", "--payload", "{}", "--wait", "--json")
    #expect(always.status == 1)
    let permanent = try await system.teller("submit", "fail", "--payload", #"{"permanent": true}"#, "--wait", "--json")
    let failed = try #require(permanent.objects.compactMap { $0["job"] as? String }.first)
    #expect(try await system.ask("show", failed, "--json").objects.first?["attempt"] as? Int == 1)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test(
    "a worker that is told to stop finishes what it runs, and its jobs are recorded", arguments: [SIGTERM, SIGHUP])
  func drains(signal: Int32) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let gated = try await system.submit(1, #"{"kind": "gate"}"#)
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    worker.signal(signal)
    try await worker.waitForLine(containing: "draining", within: TellerSystem.limit)
    try system.openGate()
    #expect(try await worker.waitForExit(within: TellerSystem.limit) == 0)
    #expect(try await system.outcomes(of: gated) == [gated[0]: "succeeded"])
    #expect(system.effects.count == 1)
    try await coordinator.close()
  }

  @Test("a second signal ends a worker at once, and its job is run by another")
  func closesAtOnce() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let gated = try await system.submit(1, #"{"kind": "gate"}"#)
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    worker.signal(SIGTERM)
    try await worker.waitForLine(containing: "draining", within: TellerSystem.limit)
    worker.signal(SIGTERM)
    try await worker.waitForExit(within: TellerSystem.limit)
    let other = try await system.startWorker("work=1")
    try await eventually("the job runs again", within: TellerSystem.longLimit) { system.effects.count == 2 }
    try system.openGate()
    #expect(try await system.outcomes(of: gated) == [gated[0]: "succeeded"])
    for process in [other, coordinator] { try await process.close() }
  }

  @Test("a question that no coordinator answers ends with an exit code of its own")
  func noCoordinator() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    try await coordinator.close()
    var asked: Int32 = 0
    // 69: the broker itself took longer to take the question than the command has patience. Then nobody can say more.
    try await eventually("the broker takes the question", within: TellerSystem.limit) {
      asked = try await system.teller("status").status
      return asked != 69
    }
    #expect(asked == 75)
    let submitted = try await system.teller("submit", "noop", "--within", "10s")
    #expect(submitted.status == 76)
    #expect(submitted.errors.joined().contains("1 confirmed, not yet accepted"))
    #expect(submitted.lines.compactMap(UUID.init(uuidString:)).count == 1, "who has no id cannot ask later")
    let many = try await system.run(
      "teller", ["submit", "noop", "--count", "12000", "--within", "10s", "--json"], within: TellerSystem.longLimit)
    #expect(many.status == 76)
    #expect(many.objects.last?["not_yet_accepted"] as? Int == 12_000, "submitting goes on")
  }

  @Test("a wait ends when its time has passed, and one for a job that is not known says so")
  func waitEnds() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let held = try await system.submit(2, #"{"kind": "noop", "delay": "1h"}"#)
    for jobs in [[held[0]], held] {
      let ended = try await system.run("teller", ["wait", "--within", "20s"] + jobs, within: TellerSystem.longLimit)
      #expect(ended.status == 124, "\(ended.errors)")
      #expect(ended.errors.joined().contains("the time limit has passed"))
    }
    let unknown = try await system.ask("wait", UUID().uuidString)
    #expect(unknown.status == 66)
    #expect(unknown.errors.joined().contains("correct the id"))
    // The others are waited for all the same.
    #expect(try await system.ask("cancel", held[1]).status == 0)
    let both = try await system.ask("wait", UUID().uuidString, held[1])
    #expect(both.status == 66)
    #expect(both.lines.joined().contains("\(held[1]) cancelled"))
    // No coordinator: the wait ends all the same, long before its patience with that.
    try await coordinator.close()
    let alone = try await system.run("teller", ["wait", "--within", "20s", held[0]], within: TellerSystem.longLimit)
    #expect(alone.status == 124, "\(alone.errors)")
  }

  @Test("failed jobs are all dropped only by who has said yes")
  func dropAll() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let refused = try await system.teller("drop", "--all")
    #expect(refused.status == 64)
    #expect(refused.errors.joined().contains("--yes"))
    #expect(try await system.ask("drop", "--all", "--yes").status == 0)
    try await coordinator.close()
  }

  @Test("a filter that is misspelt is told of, and what it may have meant")
  func misspelt() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    _ = try await system.submit(1, #"{"kind": "noop"}"#)
    for command in [["jobs"], ["failed"], ["report", "--since", "1h"], ["watch"]] {
      let ended = try await system.ask(command + ["--department", "wrok"])
      #expect(ended.status == 66, "\(command): \(ended.errors)")
      #expect(ended.errors.joined().contains("did you mean \"work\"?"), "\(command): \(ended.errors)")
    }
    let jobs = try await system.ask("jobs", "--kind", "nop")
    #expect(jobs.status == 0)
    #expect(jobs.errors.joined().contains("no job of kind \"nop\" is found; did you mean \"noop\"?"))
    #expect(try await system.ask("failed", "--kind", "noop").errors == [])
    try await coordinator.close()
  }

  @Test("a worker of a department that does not exist says so and ends")
  func unknownDepartment() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try system.launchWorker(["wrok=1"])
    #expect(try await worker.waitForExit(within: TellerSystem.limit) != 0)
    #expect(worker.text(of: .standardError).joined().contains("wrok"))
    try await coordinator.close()
  }
}
