import AMQP
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

@Suite("Rejected messages", .serialized)
struct RejectedTests {
  private static let users = """
    users:
      worker: {role: worker, departments: [work, other]}
      producer: {role: producer, departments: [work]}
      operator: {role: operator}

    """

  /// A system whose coordinator parks what a producer submits for a department that is not his.
  private func system(_ roles: Roles) async throws -> (system: TellerSystem, coordinator: RunningProcess) {
    let system = try TellerSystem(brokerURL: roles.text(of: "operator"), more: Self.users)
    return (system, try await system.startCoordinator(environment: roles.environment(of: "coordinator")))
  }

  private func publish(_ jobs: [JobID], _ roles: Roles) async throws {
    let producer = try await roles.connect("producer")
    for job in jobs {
      let submission = Submission(id: job, kind: "noop", department: "other")
      #expect(try await producer.publish(SubmissionCodec.encode(submission)) == .confirmed)
    }
    await producer.close()
  }

  /// The ids of the messages of these jobs, in the order of the jobs, once all are parked.
  private func parked(_ jobs: [JobID], _ system: TellerSystem) async throws -> [String] {
    var rows: [[String: any Sendable]] = []
    try await eventually("all are parked", within: TellerSystem.limit, lastState: { "\(rows)\n\(system.logs)" }) {
      rows = try await system.ask("rejected", "--json").objects
      return rows.count == jobs.count
    }
    #expect(rows.allSatisfy { $0["from"] as? String == "teller.submissions" && $0["put_back"] as? Bool == true })
    #expect(rows.map { $0["message_id"] as? String } == jobs.map(\.description))
    return rows.compactMap { $0["id"] as? String }
  }

  @Test("are listed, shown, put back and dropped; a job that is put back runs, once")
  func all() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let jobs = (0..<4).map { _ in JobID() }
    try await publish(jobs, roles)
    let ids = try await parked(jobs, system)

    let listed = try await system.teller("rejected", "-n", "2")
    #expect(listed.status == 0 && listed.lines.count == 2, "\(listed)")
    #expect(listed.lines[0].hasPrefix(ids[0]) && listed.lines[0].contains("\tteller.submissions\t"), "\(listed)")
    #expect(listed.errors == ["teller: there are 2 more: raise --limit to see them"])
    let shown = try await system.object("rejected", "show", ids[1])
    let properties = try #require(shown["properties"] as? [String: any Sendable])
    #expect(properties["message_id"] as? String == jobs[1].description && properties["type"] as? String == "noop")
    #expect((shown["error"] as? [String: any Sendable])?["error"] as? String == "not_allowed")
    let lines = try await system.teller("rejected", "show", String(ids[1].prefix(6))).lines
    #expect(lines.contains { $0.hasPrefix("from") && $0.hasSuffix("teller.submissions") }, "\(lines)")

    let dropped = try await system.teller("rejected", "drop", ids[3])
    #expect(dropped.status == 0 && dropped.lines == ["\(ids[3]) dropped"], "\(dropped)")
    let back = try await system.teller("rejected", "put-back", ids[2])
    #expect(back.status == 0 && back.lines == ["\(ids[2]) put back into teller.submissions"], "\(back)")
    let refused = try await system.teller("rejected", "put-back", "--all")
    #expect(refused.status == 64 && refused.errors.joined().contains("--yes"), "\(refused)")
    let counted = try await system.teller("rejected", "put-back", "--all", "--dry-run")
    #expect(counted.lines == ["there are 2 messages"], "\(counted)")
    let rest = try await system.teller("rejected", "put-back", "--all", "--yes", "--json")
    #expect(rest.status == 0 && rest.objects.compactMap { $0["id"] as? String } == Array(ids[0...1]), "\(rest)")

    let worker = try await system.startWorker("other=1", environment: roles.environment(of: "worker"))
    let outcomes = try await system.outcomes(of: jobs[0...2].map(\.description))
    #expect(outcomes.count == 3 && Set(outcomes.values) == ["succeeded"])
    #expect(try await system.teller("rejected").lines.isEmpty)
    let unknown = try await system.teller("rejected", "show", ids[3])
    #expect(unknown.status == 66 && unknown.errors.joined().contains("no message \(ids[3])"), "\(unknown)")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("an operator cannot put back a report: it stays, and the command says why")
  func report() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let worker = try await roles.connect("worker")
    let report = Publishing(exchange: Topology.Exchange.reports, routingKey: Topology.Queue.reports, body: [1])
    #expect(try await worker.publish(report) == .confirmed)
    await worker.close()
    let job = JobID()
    try await publish([job], roles)
    var rows: [[String: any Sendable]] = []
    try await eventually("both are parked", within: TellerSystem.limit, lastState: { "\(rows)\n\(system.logs)" }) {
      rows = try await system.ask("rejected", "--json").objects
      return rows.count == 2
    }
    let ids = Dictionary(
      uniqueKeysWithValues: rows.map { ($0["from"] as? String ?? "", $0["id"] as? String ?? "") })
    let id = try #require(ids["teller.reports"])

    let ended = try await system.teller("rejected", "put-back", "--all", "--yes")
    #expect(ended.status == 2 && ended.lines.count == 1, "\(ended)")
    let line = try #require(ended.errors.first)
    #expect(line.hasPrefix("teller: message \(id) stays in teller.rejected: the broker does not let user"), "\(line)")
    #expect(line.contains("teller.reports"), "\(line)")
    #expect(try await system.ask("rejected", "--json").objects.compactMap { $0["id"] as? String } == [id])
    try await system.expect(["queued": 1], of: "other")
    try await coordinator.close()
  }

  @Test("wait for another reader, and then say that there is one; a user without permission is told so")
  func others() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let jobs = [JobID(), JobID()]
    try await publish(jobs, roles)
    let ids = try await parked(jobs, system)

    let reader = try await roles.connect("operator")
    let consumer = try await reader.consume(Topology.Queue.rejected, options: ConsumeOptions(prefetch: 1))
    _ = try await limited("a message") { await consumer.nextBatch(atMost: 1) }
    let busy = try await system.teller("rejected")
    #expect(busy.status == 75 && busy.errors.joined().contains("another program reads teller.rejected"), "\(busy)")
    await reader.close()
    #expect(try await parked(jobs, system) == ids)

    for user in ["producer", "worker"] {
      let command = try system.launch("teller", ["rejected"], environment: roles.environment(of: user))
      command.closeInput()
      #expect(try await command.waitForExit(within: TellerSystem.limit) == 69)
      let errors = command.text(of: .standardError).joined()
      #expect(errors.contains("teller.rejected") && errors.contains("operator"), "\(errors)")
    }
    try await coordinator.close()
  }

  @Test("of a broker on which no coordinator has run there are none, and that is said")
  func nothing() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let ended = try await system.teller("rejected")
    #expect(ended.status == 75 && ended.errors.joined().contains("no coordinator has run"), "\(ended)")
  }
}
