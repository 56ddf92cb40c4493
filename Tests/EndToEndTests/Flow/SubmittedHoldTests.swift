import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A job that is submitted with a hold, a limit or a key", .serialized)
struct SubmittedHoldTests {
  @Test("runs when its time has come, and when the jobs before it have succeeded")
  func timesAndDependencies() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=3")
    let moment = Date(timeIntervalSinceNow: 2).formatted(.iso8601)
    let delayed = try await system.submitOne("effect", "--payload", "{}", "--delay", "1s")
    let timed = try await system.submitOne("effect", "--payload", "{}", "--at", moment)
    let gated = try await system.submitOne("gate")
    let after = try await system.submitOne("effect", "--payload", "{}", "--after", gated, "--after", timed)
    let ended = try await dependents(system)

    for id in [delayed, timed] {
      #expect(try await system.outcomes(of: [id]) == [id: "succeeded"])
      let job = try await system.show(id)
      let released = try #require(job["released_ms"] as? Int)
      #expect(released >= (job["accepted_ms"] as? Int ?? 0) + (id == delayed ? 1_000 : 0))
    }
    #expect(try await system.state(of: after) == "held")
    #expect(!system.effects.contains { $0.job == after })
    try system.openGate()
    #expect(try await system.outcomes(of: [after]) == [after: "succeeded"])
    #expect(
      Set(system.effects.map(\.job)) == [delayed, timed, gated, after], "no dependent of a failed job ran: \(ended)")
    for process in [worker, coordinator] { try await process.close() }
  }

  /// Of a job that fails: one that fails with it, one that is cancelled, one behind that, and one that comes too late.
  private func dependents(_ system: TellerSystem) async throws -> [String: String] {
    let failing = UUID().uuidString.lowercased()
    let fails = try await system.submitOne("effect", "--payload", "{}", "--after", failing)
    let cancels = try await system.submitOne(
      "effect", "--payload", "{}", "--after", failing, "--after-failed", "cancel")
    let behind = try await system.submitOne("effect", "--payload", "{}", "--after", cancels, "--after-failed", "fail")
    // Submitted last: what waits for it is held by then.
    _ = try await system.submitOne("fail", "--payload", #"{"permanent": true}"#, "--id", failing)
    let states = try await system.outcomes(of: [failing, fails, cancels, behind])
    #expect(states == [failing: "failed", fails: "failed", cancels: "cancelled", behind: "failed"])
    let told = try await system.teller(
      "submit", "effect", "--payload", "{}", "--after", failing, "--after-failed", "cancel")
    #expect(told.status == 2, "nothing will run: \(told)")
    let late = try #require(told.lines.first)
    #expect(try await system.outcomes(of: [late]) == [late: "cancelled"])
    let error = try await system.show(fails)["error"] as? [String: any Sendable]
    #expect(error?["error"] as? String == "dependency")
    #expect((error?["message"] as? String)?.contains(failing) == true)
    print(try await system.ask("explain", behind).lines.joined(separator: "\n"))
    return states
  }

  @Test("with a key runs once: both who submitted it get the outcome, and the key can be given back")
  func keys() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let commands = (1...2).map { _ in
      Task { try await system.teller("submit", "gate", "--key", "A-17", "--wait", "--json") }
    }
    try await system.expectRuns(1)
    try await eventually("both are decided", within: TellerSystem.limit, lastState: { system.logs }) {
      system.processes.count { name, process in
        name == "teller submit gate"
          && process.text(of: .standardOutput).contains { $0.contains(#""accepted""#) || $0.contains(#""duplicate""#) }
      } == 2
    }
    try system.openGate()
    var originals: [String] = []
    for command in commands {
      let ended = try await command.value
      #expect(ended.status == 0, "\(ended)")
      let outcome = try #require(ended.objects.first { $0["event"] as? String == "succeeded" })
      originals += [outcome["duplicate_of"] as? String].compactMap { $0 }
    }
    #expect(originals == [system.effects[0].job])
    // A later one gets the outcome that is there.
    #expect(try await system.teller("submit", "gate", "--key", "A-17", "--wait").status == 0)
    #expect(system.effects.count == 1)

    #expect(try await system.teller("keys", "free", "gate", "A-17").lines == ["the key is free"])
    #expect(try await system.teller("keys", "free", "gate", "A-17").lines == ["the key is free, as before"])
    #expect(try await system.teller("submit", "gate", "--key", "A-17", "--wait").status == 0)
    #expect(system.effects.count == 2)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("fails when it could not start in time, and when it runs for too long; one that hangs harms no other")
  func limits() async throws {
    let system = try await TellerSystem.onSharedBroker(kinds: ["slow": "retry: {first: 10ms}"])
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker(grace: 0.2, "work=2")
    let late = try await system.submitOne(
      "effect", "--department", "other", "--payload", "{}", "--start-within", "200ms")
    let tooLate = try await system.teller("wait", late)
    #expect(tooLate.status == 1)
    #expect(tooLate.lines.joined().contains("too_late"))

    let slow = try await system.submitOne(
      "slow", "--payload", #"{"ms": 3600000}"#, "--timeout", "200ms", "--attempts", "2")
    #expect(try await system.teller("wait", slow).lines.joined().contains("timeout"))
    #expect((try await system.show(slow)["attempts_made"] as? [any Sendable])?.count == 2)
    // A handler that is slow to notice is reported before its end.
    try await eventually("both attempts were cancelled", within: TellerSystem.limit) {
      system.endings(of: slow) == ["cancelled", "cancelled"]
    }

    let hanging = try await system.submitOne("hang", "--timeout", "200ms", "--attempts", "1")
    try await system.expectStuck([hanging])
    try await system.expectHolds("stuck", of: hanging)
    for _ in 1...3 { try await system.passes(through: "work") }
    // It keeps its teller: of two others one has to wait.
    let others = try await system.submit(2, #"{"kind": "gate"}"#)
    try await system.expect(["tellers": 2, "running": 2, "queued": 1], of: "work")
    print(try await system.ask("status").lines.joined(separator: "\n"))
    try system.openGate()
    // It succeeded after all.
    #expect(try await system.outcomes(of: [hanging]) == [hanging: "succeeded"])
    #expect(Set(try await system.outcomes(of: others).values) == ["succeeded"])
    try await system.expectStuck([])

    let other = try await system.startWorker("other=1")
    try await system.passes(through: "other")
    #expect(!system.effects.contains { $0.job == late })
    for process in [worker, other, coordinator] { try await process.close() }
  }
}

extension TellerSystem {
  /// Waits until `teller status` tells of exactly these stuck jobs.
  fileprivate func expectStuck(_ jobs: [String]) async throws {
    var stuck: [String] = []
    try await eventually("\(jobs) are stuck", within: TellerSystem.limit, lastState: { "\(stuck)\n\(logs)" }) {
      let workers = try await ask("status", "--json").objects.first?["workers"] as? [[String: any Sendable]]
      stuck = (workers ?? []).flatMap { TellerSystem.ids($0["stuck"]) }
      return stuck == jobs
    }
  }
}
