import Foundation
import SystemSupport
import TestSupport
import Testing

/// A virtual host belongs to one ledger, whatever happens to its coordinator and its broker.
@Suite("The virtual host of a ledger")
struct ClaimTests {
  /// A coordinator of that system with a ledger of its own.
  private func launch(
    _ ledger: String, _ options: String..., in system: TellerSystem, environment: [String: String] = [:]
  ) throws -> RunningProcess {
    try system.launch("teller", ["coordinator", "--ledger", ledger] + options, environment: environment)
  }

  private func id(of ledger: String, in system: TellerSystem) async throws -> String {
    let check = try await system.teller("ledger", "check", ledger, "--json")
    return try #require(check.objects.first?["ledger"] as? String)
  }

  private func expectRefused(
    _ process: RunningProcess, _ ledger: String, owner: String, in system: TellerSystem, afterServing: Bool = false
  ) async throws {
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 78, "\(system.logs)")
    let last = try #require(process.text(of: .standardError).last)
    for name in [ledger, owner] { #expect(last.contains(try await id(of: name, in: system)), "\(last)") }
    #expect(last.contains("teller broker hand-over"), "\(last)")
    let hasServed = process.text(of: .standardError).contains { $0.contains("serving") }
    #expect(hasServed == afterServing)
  }

  @Test("is refused to another one, while its coordinator serves and while it is away")
  func another() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await HealthyProcess(coordinatorOf: system)
    try await first.becomes(ready: true)
    #expect(try await refusals(in: first) == [])
    try await expectRefused(launch("other.ledger", in: system), "other.ledger", owner: "teller.ledger", in: system)
    try await first.process.waitForLine(
      containing: "a coordinator with another ledger was refused", within: TellerSystem.limit)
    #expect(first.process.exitStatus == nil)
    try await expectTold(by: first, in: system)
    try await first.process.close()
    try await expectRefused(launch("other.ledger", in: system), "other.ledger", owner: "teller.ledger", in: system)
    let again = try await system.startCoordinator()
    try await again.close()
  }

  /// What the health of a coordinator says of others that were refused.
  private func refusals(in coordinator: HealthyProcess) async throws -> [String] {
    let checks = try await coordinator.ask().answer["checks"] as? [[String: any Sendable]] ?? []
    return checks.filter { $0["name"] as? String == "refused_ledger" }.compactMap { $0["detail"] as? String }
  }

  /// Its health names both ledgers, and it is ready nevertheless.
  private func expectTold(by coordinator: HealthyProcess, in system: TellerSystem) async throws {
    let (owner, other) = (
      try await id(of: "teller.ledger", in: system), try await id(of: "other.ledger", in: system)
    )
    var told: [String] = []
    try await eventually(
      "its health tells of the refusal", within: TellerSystem.limit, lastState: { "\(told)\n\(system.logs)" }
    ) {
      told = try await refusals(in: coordinator)
      return told.count == 1 && told[0].contains("with the ledger \(other)") && told[0].contains(owner)
    }
    try await coordinator.becomes(ready: true)
  }

  @Test("is that of one of many which begin at once on a new broker")
  func atOnce() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let all = try (1...4).map { try launch("\($0).ledger", in: system) }
    try await eventually("all but one have ended", within: TellerSystem.limit) {
      all.count { $0.exitStatus == 78 } == all.count - 1
    }
    let owner = try #require(all.first { $0.exitStatus == nil })
    try await owner.waitForLine(containing: "serving", within: TellerSystem.limit)
    try await owner.close()
  }

  @Test("is handed over by a command; the former coordinator ends, is refused when it is back, and gets it back")
  func handOver() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await HealthyProcess(coordinatorOf: system)
    try await first.becomes(ready: true)
    let second = try await HealthyProcess(
      of: system, try launch("other.ledger", "--wait", "--health", "127.0.0.1:0", in: system))
    try await second.becomes(ready: false, because: "claim", "consumers")
    let (mine, others) = (
      try await id(of: "teller.ledger", in: system), try await id(of: "other.ledger", in: system)
    )
    let unasked = try await system.teller("broker", "hand-over", others)
    #expect(unasked.status == 64 && first.process.exitStatus == nil, "\(unasked)")
    let moved = try await system.teller("broker", "hand-over", others, "--yes", "--json")
    #expect(moved.status == 0 && moved.objects.first?["before"] as? String == mine, "\(moved)")
    #expect(moved.objects.first?["ledger"] as? String == others, "\(moved)")
    try await second.becomes(ready: true)
    try await expectRefused(first.process, "teller.ledger", owner: "other.ledger", in: system, afterServing: true)
    try await expectRefused(
      launch("teller.ledger", in: system), "teller.ledger", owner: "other.ledger", in: system)
    let back = try await system.teller("broker", "hand-over", mine, "--yes")
    #expect(back.status == 0, "\(back)")
    #expect(back.lines == ["the virtual host belongs to ledger \(mine); before, of ledger \(others)"])
    // It waits again, as it was told to.
    try await second.becomes(ready: false, because: "claim", "consumers")
    let third = try await system.startCoordinator()
    for process in [third, second.process] { try await process.close() }
  }

  @Test("is kept through kill -9 of the broker; after the loss of its disk it is that of the first coordinator")
  func brokerLost() async throws {
    let broker = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: broker.url)
    let first = try await system.startCoordinator()
    try await broker.writeDown()
    try await broker.kill()
    try await broker.start()
    try await expectRefused(launch("other.ledger", in: system), "other.ledger", owner: "teller.ledger", in: system)
    // Its coordinator is there, and comes first.
    let line = first.nextLineNumber
    try await broker.wipe()
    try await broker.start()
    try await first.waitForLine(containing: "serving", since: line, within: TellerSystem.limit)
    try await expectRefused(launch("other.ledger", in: system), "other.ledger", owner: "teller.ledger", in: system)
    try await first.close()
    try await broker.wipe()
    try await broker.start()
    let other = try launch("other.ledger", in: system)
    try await other.waitForLine(containing: "serving", within: TellerSystem.limit)
    try await expectRefused(launch("teller.ledger", in: system), "teller.ledger", owner: "other.ledger", in: system)
    try await other.close()
  }

  @Test("is claimed and handed over by the coordinator's user alone")
  func permissions() async throws {
    let roles = try await Roles.make()
    let system = try TellerSystem(brokerURL: roles.text(of: "coordinator"))
    let first = try await system.startCoordinator()
    try await expectRefused(launch("other.ledger", in: system), "other.ledger", owner: "teller.ledger", in: system)
    let other = try await id(of: "other.ledger", in: system)
    for user in Roles.names where user != "coordinator" {
      let refused = try system.launch(
        "teller", ["broker", "hand-over", other, "--yes"], environment: roles.environment(of: user))
      #expect(try await refused.waitForExit(within: TellerSystem.limit) == 69, "\(user)")
      let last = refused.text(of: .standardError).last
      #expect(last?.contains("the broker's user of the coordinator") == true, "\(user)")
    }
    #expect(try await system.teller("broker", "hand-over", other, "--yes").status == 0)
    #expect(try await first.waitForExit(within: TellerSystem.limit) == 78)
  }
}
