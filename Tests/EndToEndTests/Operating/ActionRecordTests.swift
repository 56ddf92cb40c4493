import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

@Suite("What the commands record that is no command of the coordinator", .serialized)
struct ActionRecordTests {
  private static let more = """
    plans:
      opening:
        department: init
        steps:
          - {name: login, rank: 10, kind: noop}
        events:
          - {name: push, rank: 20, kind: noop, when_open: announce}
    users:
      worker: {role: worker, departments: [work, init]}
      producer: {role: producer, departments: [work, init]}
      operator: {role: operator}

    """

  private func system(_ roles: Roles) throws -> TellerSystem {
    try TellerSystem(brokerURL: roles.text(of: "operator"), more: Self.more)
  }

  /// The rows of the record, the newest first, without what is another one each time.
  private func record(_ system: TellerSystem) async throws -> [[String: String]] {
    try await system.ask("actions", "--json").objects.map { row in
      row.compactMapValues { $0 as? String }
    }
  }

  @Test("a start, an event that is sent and decided, and rejected messages: with the user, once")
  func recorded() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let worker = try await system.startWorker("init=1", environment: roles.environment(of: "worker"))
    let (run, event) = (JobID().description, JobID().description)
    for _ in 0..<2 {
      let started = try await system.teller("plan", "start", "opening", "--id", run, "--wait")
      #expect(started.status == 0 && started.errors.isEmpty, "\(started)\n\(system.logs)")
    }
    for duplicates in 0..<2 {
      let sent = try await system.teller("event", "push", "--id", event)
      #expect(sent.status == 0 && sent.errors.count == duplicates, "\(sent)")
      #expect(sent.errors.allSatisfy { $0.contains("is a duplicate of event \(event), which is held") }, "\(sent)")
    }
    #expect(try await system.teller("event", "accept", event).errors == [])
    let late = try await system.teller("event", "dismiss", event)
    #expect(late.status == 2 && late.errors.isEmpty, "\(late)")
    let id = try await park(in: system)
    #expect(try await system.teller("rejected", "drop", id).errors == [])
    let expected: [[String: String]] = [
      ["action": "drop_rejected", "name": id, "detail": "1 message"],
      ["action": "dismiss_event", "job": event, "detail": "decided before"],
      ["action": "accept_event", "job": event],
      ["action": "send_event", "job": event, "name": "push"],
      ["action": "start_plan", "job": run, "name": "opening"],
    ]
    #expect(try await record(system) == expected.map { $0.merging(["user": "operator"]) { $1 } })
    let shown = try await system.teller("show", event)
    #expect(shown.lines.contains { $0.hasPrefix("action") && $0.contains("accept_event, by operator") }, "\(shown)")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("whoever may not command starts a plan as before, and is told in one line that it is not recorded")
  func notAllowed() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let command = try system.launch(
      "teller", ["plan", "start", "opening"], environment: roles.environment(of: "producer"))
    command.closeInput()
    #expect(try await command.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    let (lines, errors) = (command.text(of: .standardOutput), command.text(of: .standardError))
    #expect(lines.count == 1 && JobID(lines[0]) != nil, "\(lines)")
    #expect(errors.count == 1 && errors[0].hasPrefix("teller: this is not in the record of actions: "), "\(errors)")
    #expect(try await record(system).isEmpty)
    try await coordinator.close()
  }

  @Test("without a coordinator a rejected message is dropped as before, and one line says that it is not recorded")
  func noCoordinator() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let id = try await park(in: system)
    try await coordinator.close()
    let dropped = try await system.teller("rejected", "drop", id)
    #expect(dropped.status == 0 && dropped.lines == ["\(id) dropped"], "\(dropped)")
    #expect(dropped.errors.count == 1 && dropped.errors[0].contains("not in the record of actions"), "\(dropped)")
  }

  /// A message that nobody is told of is parked. Gives its id.
  private func park(in system: TellerSystem) async throws -> String {
    let connection = try await Connection.patient(to: system.brokerURL)
    let submission = Submission(id: JobID(), kind: "noop", department: "nowhere")
    #expect(try await connection.publish(SubmissionCodec.encode(submission)) == .confirmed)
    await connection.close()
    var ids: [String] = []
    try await eventually("it is parked", within: TellerSystem.limit, lastState: { system.logs }) {
      ids = try await system.ask("rejected", "--json").objects.compactMap { $0["id"] as? String }
      return ids.count == 1
    }
    return try #require(ids.first)
  }
}
