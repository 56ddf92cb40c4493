import AMQP
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// Each role does its work with its own user, `users:` being checked, and is refused what is not its own.
@Suite("Each role at its work", .timeLimit(.minutes(10)))
struct RoleWorkTests {
  private static let users = """
    users:
      worker: {role: worker, departments: [work, init]}
      submitting-worker: {role: submitting-worker, departments: [other]}
      producer: {role: producer, departments: [work, init]}
      operator: {role: operator}
      monitor: {role: monitor}

    """

  private func system(_ roles: Roles) throws -> TellerSystem {
    try TellerSystem(brokerURL: roles.text(of: "operator"), more: Self.users)
  }

  /// A command to its end, as one of the users.
  private func teller(
    _ arguments: String..., as user: String, _ roles: Roles, _ system: TellerSystem
  ) async throws -> (status: Int32, output: String, errors: String) {
    let command = try system.launch("teller", arguments, environment: roles.environment(of: user))
    command.closeInput()
    let status = try await command.waitForExit(within: TellerSystem.limit)
    let (output, errors) = (command.text(of: .standardOutput), command.text(of: .standardError))
    return (status, output.joined(separator: "\n"), errors.joined(separator: "\n"))
  }

  @Test("coordinator, workers, producer, operator and monitor do what they are for")
  func work() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let worker = try await system.startWorker(
      "work=2", "init=1", environment: roles.environment(of: "worker"))
    let other = try await system.startWorker(
      "other=1", environment: roles.environment(of: "submitting-worker"))

    let served = try await teller("submit", "echo", "--payload", "7", "--wait", as: "producer", roles, system)
    #expect(served.status == 0, "\(served)\n\(system.logs)")
    let own = try await teller(
      "submit", "noop", "--department", "other", "--wait", as: "submitting-worker", roles, system)
    #expect(own.status == 0, "\(own)\n\(system.logs)")
    for user in ["producer", "monitor", "operator"] {
      let watching = try system.launch(
        "teller", ["watch", "--since", "start"], environment: roles.environment(of: user))
      try await watching.waitForLine(containing: "succeeded", within: TellerSystem.limit)
      try await watching.close()
    }

    let paused = try await teller("pause", "work", as: "operator", roles, system)
    #expect(paused.status == 0, "\(paused)")
    let waiting = try await teller("submit", "noop", as: "producer", roles, system)
    let cancelled = try await teller("cancel", "--all", "--yes", as: "operator", roles, system)
    #expect(waiting.status == 0 && cancelled.status == 0, "\(waiting) \(cancelled)")
    let echoed = served.output.split(separator: " ").first.map(String.init) ?? ""
    let payload = try await teller("show", echoed, "--payload", as: "operator", roles, system)
    #expect(payload.status == 0 && payload.output == "7", "\(payload)")
    let status = try await teller("status", as: "monitor", roles, system)
    #expect(status.status == 0 && !status.output.contains("not allowed"), "\(status)")
    for process in [worker, other, coordinator] { try await process.close() }
  }

  @Test("an operator puts back what was parked, in the name of his own user")
  func putBack() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let producer = try await roles.connect("producer")
    let foreign = Submission(id: JobID(), kind: "noop", department: "other")
    #expect(try await producer.publish(SubmissionCodec.encode(foreign)) == .confirmed)
    let connection = try await roles.connect("operator")
    let rejected = try await connection.consume(Topology.Queue.rejected, options: ConsumeOptions(prefetch: 1))
    let parked = try #require(try await limited("the parked job") { await rejected.nextBatch(atMost: 1)?.first })
    guard case .bytes(let body) = parked.body else { throw CocoaError(.coderInvalidValue) }
    let again = Publishing(
      exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit, properties: parked.properties,
      body: body)
    #expect(try await connection.publish(again) == .confirmed)
    try await system.expect(["queued": 1], of: "other")
    for connection in [producer, connection] { await connection.close() }
    try await coordinator.close()
  }

  @Test("a monitor does not submit, a producer does not command, nobody submits for a department that is not his")
  func refused() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    let submitted = try await teller("submit", "noop", as: "monitor", roles, system)
    #expect(submitted.status == 69 && submitted.errors.contains("teller.submit"), "\(submitted)")
    let commanded = try await teller("pause", "work", as: "producer", roles, system)
    #expect(commanded.status == 69 && commanded.errors.contains("teller.admin"), "\(commanded)")
    let read = try await teller("show", UUID().uuidString, "--payload", as: "monitor", roles, system)
    #expect(read.status == 69 && read.errors.contains("teller.admin"), "\(read)")
    let foreign = try await teller("submit", "noop", "--department", "other", as: "producer", roles, system)
    #expect(foreign.status == 2 && foreign.errors.contains("may not submit jobs for department"), "\(foreign)")
    let status = try await teller("status", as: "monitor", roles, system)
    #expect(status.output.contains("not allowed 1 messages"), "\(status)")
    try await coordinator.close()
  }

  @Test("a worker of another department is told why it is not welcome, and ends with an error")
  func foreignDepartment() async throws {
    let roles = try await Roles.make()
    let system = try system(roles)
    let coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    for (user, department) in [("worker", "other=1"), ("producer", "work=1")] {
      let worker = try system.launchWorker(["init=1", department], environment: roles.environment(of: user))
      guard user == "worker" else {
        // The broker itself: a producer may not even have a worker's queue.
        let status = try await worker.waitForExit(within: TellerSystem.limit)
        #expect(status != 0 && worker.text(of: .standardError).joined().contains("access to queue"))
        continue
      }
      let status = try await worker.waitForExit(within: TellerSystem.limit)
      let errors = worker.text(of: .standardError).joined(separator: "\n")
      #expect(status != 0 && errors.contains(#"may not serve as a worker for department "other""#), "\(errors)")
    }
    try await coordinator.close()
  }
}
