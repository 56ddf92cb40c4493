import AMQP
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

@Suite("Rejected messages", .serialized)
struct RejectedTests {
  private static let departments = "work: {}, other: {}, init: {ordered: true}"

  private static func users(_ departments: String = "work, other") -> String {
    """
    users:
      worker: {role: worker, departments: [\(departments)]}
      producer: {role: producer, departments: [work]}
      operator: {role: operator}

    """
  }

  /// A system whose coordinator parks what a producer submits for a department that is not his.
  private func system(_ roles: Roles) async throws -> (system: TellerSystem, coordinator: RunningProcess) {
    let system = try TellerSystem(
      brokerURL: roles.text(of: "operator"), departments: Self.departments, more: Self.users())
    return (system, try await system.startCoordinator(environment: roles.environment(of: "coordinator")))
  }

  /// Submits jobs without an address for answers. Nobody has a department `later` yet.
  private func publish(
    _ jobs: [JobID], to department: Department = "other", as user: String = "producer", _ roles: Roles
  ) async throws {
    let connection = try await roles.connect(user)
    for job in jobs {
      let submission = Submission(id: job, kind: "noop", department: department)
      #expect(try await connection.publish(SubmissionCodec.encode(submission)) == .confirmed)
    }
    await connection.close()
  }

  /// The ids of the messages of these jobs, in the order of the jobs, once all are parked.
  private func parked(_ jobs: [JobID], _ system: TellerSystem) async throws -> [String] {
    var rows: [[String: any Sendable]] = []
    try await eventually("all are parked", within: TellerSystem.limit, lastState: { "\(rows)\n\(system.logs)" }) {
      rows = try await system.ask("rejected", "--json").objects
      return rows.count == jobs.count
    }
    #expect(rows.allSatisfy { $0["from"] as? String == "teller.submissions" })
    #expect(rows.map { $0["message_id"] as? String } == jobs.map(\.description))
    return rows.compactMap { $0["id"] as? String }
  }

  @Test("are listed with their users, shown and dropped")
  func lists() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let jobs = (0..<3).map { _ in JobID() }
    try await publish(jobs, roles)
    let ids = try await parked(jobs, system)

    let listed = try await system.teller("rejected", "-n", "2")
    #expect(listed.status == 0 && listed.lines.count == 2, "\(listed)")
    #expect(listed.lines[0].hasPrefix(ids[0]), "\(listed)")
    #expect(listed.lines[0].contains("\tteller.submissions\tproducer\t"), "\(listed)")
    #expect(listed.errors == ["teller: there are 1 more: a larger --limit shows them"])
    let shown = try await system.object("rejected", "show", ids[1])
    let properties = try #require(shown["properties"] as? [String: any Sendable])
    #expect(properties["message_id"] as? String == jobs[1].description && properties["type"] as? String == "noop")
    #expect((shown["error"] as? [String: any Sendable])?["error"] as? String == "not_allowed")
    #expect(shown["user"] as? String == "producer" && shown["put_back"] as? Bool == false, "\(shown)")
    let lines = try await system.teller("rejected", "show", String(ids[1].prefix(6))).lines
    for (name, value) in [("from", "teller.submissions"), ("user", "producer")] {
      #expect(lines.contains { $0.hasPrefix(name) && $0.hasSuffix(value) }, "\(lines)")
    }
    #expect(lines.contains { $0.hasPrefix("put back") && $0.contains("user \"producer\" was not allowed") }, "\(lines)")

    let dropped = try await system.teller("rejected", "drop", ids[2])
    #expect(dropped.status == 0 && dropped.lines == ["\(ids[2]) dropped"], "\(dropped)")
    let unknown = try await system.teller("rejected", "show", ids[2])
    #expect(unknown.status == 66 && unknown.errors.joined().contains("no message \(ids[2])"), "\(unknown)")
    let counted = try await system.teller("rejected", "drop", "--all", "--dry-run", "--json")
    #expect(counted.lines == [#"{"messages":2}"#], "\(counted)")
    #expect(try await system.teller("rejected", "drop", "--all", "--yes").lines == ids[0...1].map { "\($0) dropped" })
    let nothing = try await system.teller("rejected", "drop", "--all", "--yes", "--json")
    #expect(nothing.status == 0 && nothing.lines == [#"{"messages":0}"#], "\(nothing)")
    let terminal = try system.tellerOnTerminal(["rejected"])
    #expect(try await terminal.end() == 0)
    #expect(terminal.text.contains("no rejected messages"), "\(terminal.text)")
    try await coordinator.close()
  }

  @Test("that their user was not allowed to send stay, unless one is named and taken over; then its job runs")
  func notAllowed() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let jobs = [JobID(), JobID()]
    try await publish(jobs, roles)
    let ids = try await parked(jobs, system)

    let plain = try await system.teller("rejected", "put-back", ids[0])
    #expect(plain.status == 2 && plain.lines.isEmpty && plain.errors.count == 1, "\(plain)")
    let line = plain.errors.joined()
    #expect(
      line.contains("\(ids[0]) stays") && line.contains("\"producer\"") && line.contains("job your own"), "\(line)")
    let all = try await system.teller("rejected", "put-back", "--all", "--yes")
    #expect(all.status == 2 && all.lines.isEmpty && all.errors.count == 1, "\(all)")
    #expect(all.errors.joined().contains("2 messages of users who were not allowed"), "\(all)")
    let both = try await system.teller("rejected", "put-back", "--all", "--yes", "--as-mine")
    #expect(both.status == 64, "\(both)")
    #expect(try await parked(jobs, system) == ids)

    let mine = try await system.teller("rejected", "put-back", ids[0], "--as-mine")
    #expect(mine.status == 0 && mine.lines == ["\(ids[0]) put back into teller.submissions"], "\(mine)")
    let worker = try await system.startWorker("other=1", environment: roles.environment(of: "worker"))
    let job = jobs[0].description
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])
    #expect(try await parked([jobs[1]], system) == [ids[1]])
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("are put back when the cause is mended; the jobs run, once, and --all leaves what was not allowed")
  func mended() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let (refused, jobs) = (JobID(), (0..<3).map { _ in JobID() })
    try await publish([refused], roles)
    let first = try await parked([refused], system)
    try await publish(jobs, to: "later", as: "operator", roles)
    let ids = try await parked([refused] + jobs, system)
    #expect(Array(ids.prefix(1)) == first)

    try system.configure(
      departments: Self.departments + ", later: {}", more: Self.users("work, other, later"))
    let number = coordinator.nextLineNumber
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(
      containing: "department later: new", since: number, within: TellerSystem.limit)
    let back = try await system.teller("rejected", "put-back", ids[3])
    #expect(back.status == 0 && back.lines == ["\(ids[3]) put back into teller.submissions"], "\(back)")
    let asked = try await system.teller("rejected", "put-back", "--all")
    #expect(asked.status == 64 && asked.errors.joined().contains("--yes"), "\(asked)")
    let counted = try await system.teller("rejected", "put-back", "--all", "--dry-run")
    #expect(counted.lines == ["there are 3 messages; 1 of them would stay"], "\(counted)")
    let rest = try await system.teller("rejected", "put-back", "--all", "--yes", "--json")
    let ends = Dictionary(
      uniqueKeysWithValues: rest.objects.map { ($0["id"] as? String ?? "", $0["put_back"] as? Bool) })
    #expect(rest.status == 2 && ends == [ids[0]: false, ids[1]: true, ids[2]: true], "\(rest)")

    let worker = try await system.startWorker("later=1", environment: roles.environment(of: "worker"))
    let outcomes = try await system.outcomes(of: jobs.map(\.description))
    #expect(outcomes.count == 3 && Set(outcomes.values) == ["succeeded"])
    #expect(try await parked([refused], system) == first)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("that come after the question stay")
  func afterTheQuestion() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let (asked, late) = (JobID(), JobID())
    try await publish([asked], roles)
    _ = try await parked([asked], system)
    let terminal = try system.tellerOnTerminal(["rejected", "drop", "--all"])
    try await terminal.wait(for: "Drop all 1 message of teller.rejected?")
    try await publish([late], roles)
    let ids = try await parked([asked, late], system)
    try terminal.type("y\n")
    #expect(try await terminal.end() == 0, "\(terminal.text)")
    #expect(try await parked([late], system) == [ids[1]])
    try await coordinator.close()
  }

  @Test("an operator cannot put back a report: it stays, and the command says why")
  func report() async throws {
    let roles = try await Roles.make()
    let (system, coordinator) = try await system(roles)
    let worker = try await roles.connect("worker")
    let report = Publishing(
      exchange: Topology.Exchange.reports, routingKey: Topology.RoutingKey.reports, body: [1])
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

    let other = try #require(ids["teller.submissions"])
    let ended = try await system.teller("rejected", "put-back", id, other, "--as-mine")
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
