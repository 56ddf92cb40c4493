import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("What operators see beside jobs", .serialized)
struct StateListTests {
  @Test("keys, plans, schedules and workers are listed, and the status has ages and rates")
  func lists() async throws {
    let system = try await TellerSystem.onSharedBroker(
      more: "schedules: {yearly: {cron: '0 0 1 1 *', kind: noop}, leap: {cron: '0 0 29 2 *', kind: noop}}\n")
    let coordinator = try await system.startCoordinator()
    let keyed = try await system.submitOne("noop", "--key", "a b", "--department", "work")
    let keys = try await system.ask("keys", "-k", "noop", "--json").objects
    #expect(keys.map { $0["key"] as? String } == ["a b"] && keys.first?["job"] as? String == keyed)
    #expect(keys.first?["state"] as? String == "queued")
    let last = try await system.submitOne("noop", "--key", "c", "--department", "work")
    let first = try system.tellerOnTerminal(["keys", "-k", "noop", "-n", "1"])
    try await first.wait(for: "keys --kind noop --limit 1 --after 'noop/a b'")
    #expect(try await first.end() == 0)
    let second = try await system.ask("keys", "-k", "noop", "-n", "1", "--after", "noop/a b", "--json").objects
    #expect(second.map { $0["key"] as? String } == ["c"])
    let none = try await system.ask("keys", "-k", "sleep")
    #expect(none.status == 0 && none.lines.isEmpty)

    let status = try await system.department("work")
    #expect(status["ended_last_minute"] as? Int == 0)
    #expect(status["oldest_waiting_ms"] as? Int != nil)
    #expect(try await system.department("other")["oldest_waiting_ms"] == nil)

    let worker = try await system.startWorker("work=2", "init=1")
    _ = try await system.outcomes(of: [keyed, last])
    try await system.expect(["succeeded": 2], of: "work")
    try await expectRates(of: "work", system)
    #expect(try await system.department("work")["oldest_waiting_ms"] == nil)
    print(try await system.ask("status").lines.joined(separator: "\n"))
    let workers = try await system.ask("workers", "-d", "init", "--json").objects
    #expect(workers.count == 1 && (workers.first?["kinds"] as? [String])?.contains("noop") == true)
    #expect(workers.first?["draining"] as? Bool == false)
    let unserved = try await system.ask("workers", "-d", "other")
    #expect(unserved.status == 0 && unserved.lines.isEmpty)
    for command in [["workers"], ["plan", "list"]] {
      let misspelt = try await system.ask(command + ["-d", "wrok"])
      #expect(misspelt.status == 66 && misspelt.errors.joined().contains("work"), "\(misspelt)")
    }
    let schedules = try await system.ask("schedules", "--json").objects
    #expect(schedules.map { $0["name"] as? String } == ["leap", "yearly"])
    #expect(schedules.map { $0["next_ms"] is Int } == [true, true])
    #expect(schedules.last?["cron"] as? String == "0 0 1 1 *")
    #expect(try await system.ask("schedules").lines.count == 2)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// Submits a job, and looks at the rates, until all of this has happened within their minute.
  private func expectRates(of department: String, _ system: TellerSystem) async throws {
    var status: [String: any Sendable] = [:]
    try await eventually("a job counts in both rates", within: TellerSystem.limit, lastState: { "\(status)" }) {
      _ = try await system.ask("submit", "noop", "-d", department, "--wait")
      status = try await system.department(department)
      let rates = ["accepted_last_minute", "ended_last_minute"].map { status[$0] as? Int ?? 0 }
      return rates.allSatisfy { $0 > 0 }
    }
  }

  @Test("a plan is listed with the steps that have ended, and once it has ended only when ended plans are asked for")
  func plans() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let id = UUID().uuidString.lowercased()
    let steps = [
      #"{"name": "a", "kind": "effect", "rank": 1, "payload": {}}"#, #"{"name": "b", "kind": "gate", "rank": 2}"#,
    ]
    let message = try TellerSystem.message(
      ["message_id": id, "content_type": "application/vnd.teller.plan+json", "correlation_id": id],
      body: #"{"department": "init", "steps": [\#(steps.joined(separator: ", "))]}"#)
    let client = try system.submitByPika([message])
    let worker = try await system.startWorker("init=1")
    try await system.expectRuns(2)
    let open = try await system.ask("plan", "list", "-d", "init", "--json").objects
    #expect(open.map { $0["id"] as? String } == [id] && open.first?["state"] as? String == "held")
    #expect(open.first?["steps"] as? Int == 2 && open.first?["steps_done"] as? Int == 1)
    #expect(try await system.ask("plan", "list").lines.first?.hasPrefix("–\trunning\t\(id)\tinit\t1/2\t") == true)
    let number = try #require(open.first?["number"] as? Int)
    #expect(try await system.ask("plan", "list", "--before", "\(number)").lines.isEmpty)
    #expect(try await system.ask("plan", "list", "--before", "\(number + 1)").lines.count == 1)
    try system.openGate()
    #expect(try await client.waitForExit(within: TellerSystem.limit) == 0, "\(client.lines)\n\(system.logs)")
    #expect(try await system.ask("plan", "list").lines.isEmpty)
    let ended = try await system.ask("plan", "list", "--all", "--json").objects
    #expect(ended.map { $0["state"] as? String } == ["succeeded"] && ended.first?["steps_done"] as? Int == 2)
    for process in [worker, coordinator] { try await process.close() }
  }
}
