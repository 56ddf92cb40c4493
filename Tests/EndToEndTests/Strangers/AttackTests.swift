import AMQP
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// Somebody with a user of the broker does what is not his: the broker's permissions refuse it, and where they are wide
/// open, the coordinator does.
@Suite("Attacks from within", .timeLimit(.minutes(10)))
struct AttackTests {
  /// `anyone`, `insider` and `watcher` may do everything on the broker.
  private static let users = """
    users:
      worker: {role: worker}
      operator: {role: operator}
      anyone: {role: producer}
      insider: {role: worker, departments: [work]}
      watcher: {role: monitor}

    """

  private static let options = ConsumeOptions(prefetch: 1)

  private struct Scene {
    let roles: Roles
    let system: TellerSystem
    let coordinator: RunningProcess

    init(more: String) async throws {
      roles = try await Roles.make { definitions in
        for user in ["anyone", "insider", "watcher"] { definitions.addUnlimited(user) }
      }
      system = try TellerSystem(brokerURL: roles.text(of: "operator"), more: more)
      coordinator = try await system.startCoordinator(environment: roles.environment(of: "coordinator"))
    }

    func worker(_ departments: String...) async throws -> RunningProcess {
      try await system.startWorker(departments.joined(), environment: roles.environment(of: "worker"))
    }

    /// Waits until the coordinator has refused so many messages because of who sent them.
    func expectNotAllowed(_ count: Int) async throws {
      try await eventually("\(count) messages are not allowed", within: TellerSystem.limit) {
        let status = try await system.ask("status", "--json").objects.first?["coordinator"] as? [String: any Sendable]
        return status?["not_allowed"] as? Int == count
      }
    }

    /// The id of the only worker.
    func workerID() async throws -> WorkerID {
      let workers = try await system.ask("status", "--json").objects.first?["workers"] as? [[String: any Sendable]]
      return WorkerID(try #require(workers?.first?["id"] as? String))
    }
  }

  private func next(_ what: String, of consumer: Consumer) async throws -> Delivery {
    let delivery = try await limited(what) { await consumer.nextBatch(atMost: 1)?.first }
    return try #require(delivery, "\(what)")
  }

  private func report(_ assignment: Assignment, by worker: WorkerID) throws -> Publishing {
    let report = Report(
      release: assignment.release, token: assignment.token, ledger: assignment.ledger, worker: worker,
      startedAgo: .milliseconds(2), ran: .milliseconds(1),
      result: .succeeded(result: Array("forged".utf8), contentType: nil))
    return try #require(ReportCodec.encode([report]).first?.message)
  }

  private func presence(
    of worker: WorkerID, session: Int = 1, tellers: [String: Int], isGoodbye: Bool = false
  ) -> TransientPublishing {
    PresenceCodec.encode(
      Presence(
        worker: worker, session: session, name: "attacker", tellers: tellers, ledger: nil, probe: 0, running: [],
        isGoodbye: isGoodbye))
  }

  private func expect(_ code: UInt16, _ what: String, _ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("\(what) was done")
    } catch AMQPError.channelClosed(code: code, _) {
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test("the broker refuses a producer's report, another user's name, and a worker of another department")
  func broker() async throws {
    let roles = try await Roles.make {
      $0.add("worker-of-work", as: "worker", replacing: #"department\..*"#, with: #"department\.work(\.kind\..*)?"#)
    }
    let coordinator = try await roles.connect("coordinator")
    try await Topology.declareAll(on: coordinator, departments: ["work", "other"])
    let forged = Publishing(
      exchange: Topology.Exchange.reports, routingKey: Topology.RoutingKey.reports, properties: .init(type: "reports"),
      body: [])
    await expect(403, "a producer's report") { _ = try await roles.connect("producer").publish(forged) }
    await expect(403, "a worker's control message") {
      let stop = ControlCodec.encode(probe: 1, to: WorkerID())
      let worker = try await roles.connect("worker")
      try await worker.publish(stop)
      // Transient, so nothing is answered: the next one shows that the channel was closed.
      try await limited("the end of the channel") { while true { try await worker.publish(stop) } }
    }
    await expect(406, "another user's name") {
      let worker = try await roles.connect("worker") { $0.namesUser = false }
      var named = forged
      named.properties.userID = "coordinator"
      // Only this message is refused: its connection goes on.
      if case .refused(let code, let text) = try await worker.publish(named) {
        throw AMQPError.channelClosed(code: code, text: text)
      }
    }
    await expect(403, "another department's queue") {
      _ = try await roles.connect("worker-of-work").consume("teller.department.other", options: AttackTests.options)
    }
    let worker = try await roles.connect("worker-of-work")
    _ = try await worker.consume("teller.department.work", options: AttackTests.options)
    await worker.close()
    await coordinator.close()
  }

  @Test("a message names its sender, whatever it says itself")
  func named() async throws {
    let roles = try await Roles.make()
    let coordinator = try await roles.connect("coordinator")
    try await Topology.declareAll(on: coordinator, departments: [])
    let consumer = try await coordinator.consume(Topology.Queue.submissions, options: AttackTests.options)
    var message = SubmissionCodec.encode(Submission(id: JobID(), kind: "noop"))
    message.properties.userID = "coordinator"
    let producer = try await roles.connect("producer")
    #expect(try await producer.publish(message) == .confirmed)
    let delivery = try await next("the submission", of: consumer)
    #expect(delivery.properties.userID == "producer")
    for connection in [coordinator, producer] { await connection.close() }
  }

  @Test("where permissions are wide open, a producer still cannot pose as a worker")
  func producer() async throws {
    let scene = try await Scene(more: Self.users)
    let attacker = try await scene.roles.connect("anyone")
    // It reads along what is released, tokens included.
    var queue = QueueDeclaration("spy")
    (queue.isDurable, queue.isExclusive) = (false, true)
    try await attacker.declare(queue)
    try await attacker.bind(queue: "spy", exchange: Topology.Exchange.jobs, routingKey: "work")
    let spied = try await attacker.consume("spy", options: AttackTests.options)
    let worker = try await scene.worker("work=1")
    let job = try #require(try await scene.system.submit(1, #"{"kind": "gate"}"#).first)
    try await scene.system.expectRuns(1)
    let delivery = try await next("the assignment", of: spied)
    let assignment = try AssignmentCodec.decode(delivery)
    #expect(assignment.job.description == job)

    let real = try await scene.workerID()
    for id in [WorkerID(), real] {
      #expect(try await attacker.publish(try report(assignment, by: id)) == .confirmed)
    }
    try await attacker.publish(presence(of: WorkerID(), tellers: ["work": 1]))
    let fence = ReportCodec.encode(fence: 1, ledger: assignment.ledger)
    #expect(try await attacker.publish(fence) == .confirmed)
    let claims = ReportCodec.encode([
      ClaimRequest(release: assignment.release, ledger: assignment.ledger, worker: WorkerID(), number: 1)
    ])
    #expect(try await attacker.publish(try #require(claims.first)) == .confirmed)
    try await scene.expectNotAllowed(5)
    // Its worker tells that it runs in its next presence.
    try await eventually("the job runs on", within: TellerSystem.limit, lastState: { scene.system.logs }) {
      try await scene.system.state(of: job) == "running"
    }

    let parked = try await attacker.consume(Topology.Queue.rejected, options: AttackTests.options)
    let kept = try await next("the parked report", of: parked)
    #expect(kept.properties.headers["teller-error"] == "not_allowed")
    #expect(kept.properties.headers["teller-user-id"] == "anyone" && kept.properties.userID == "coordinator")
    try scene.system.openGate()
    #expect(Set(try await scene.system.outcomes(of: [job]).values) == ["succeeded"])
    await attacker.close()
    for process in [worker, scene.coordinator] { try await process.close() }
  }

  @Test("where permissions are wide open, neither a producer nor a worker nor a monitor commands, or reads a payload")
  func commands() async throws {
    let scene = try await Scene(more: Self.users)
    let job = try await scene.system.submitOne("echo", "--payload", #"{"name": "Ada"}"#)
    for user in ["anyone", "insider", "watcher"] {
      let pause = try scene.system.launch(
        "teller", ["pause", "work"], environment: scene.roles.environment(of: user))
      let status = try await pause.waitForExit(within: TellerSystem.limit)
      let errors = pause.text(of: .standardError).joined(separator: "\n")
      #expect(status == 2 && errors.contains("may not give commands"), "\(user): \(status) \(errors)")
      let show = try scene.system.launch(
        "teller", ["show", job, "--payload"], environment: scene.roles.environment(of: user))
      #expect(try await show.waitForExit(within: TellerSystem.limit) == 2)
      #expect(show.text(of: .standardOutput).isEmpty, "\(user)")
      #expect(show.text(of: .standardError).joined().contains("may not read payloads"), "\(user)")
    }
    try await scene.expectNotAllowed(6)
    #expect(try await scene.system.department("work")["paused"] as? Bool == false)
    #expect(try await scene.system.object("pause", "work")["changed"] as? Bool == true)
    try await scene.coordinator.close()
  }

  @Test("a worker is neither welcomed for another department nor heard about its jobs")
  func otherDepartment() async throws {
    let scene = try await Scene(more: Self.users)
    let attacker = try await scene.roles.connect("insider")
    let id = WorkerID()
    let queue = try await Topology.declareWorkerQueue(id, session: 1, departments: ["work"], on: attacker)
    let control = try await attacker.consume(queue, options: AttackTests.options)
    try await attacker.publish(presence(of: id, tellers: ["work": 1, "other": 1]))
    let told = try await next("the welcome", of: control)
    guard case .welcome(let welcome) = ControlCodec.decode(told) else {
      Issue.record("not a welcome: \(told)")
      return
    }
    #expect(welcome.refusal?.code == "not_allowed" && welcome.departments.isEmpty)
    #expect(welcome.unknown == ["other", "work"])

    let job = try #require(
      try await scene.system.submit(1, #"{"kind": "echo", "department": "other", "payload": 7}"#).first)
    let stolen = try await attacker.consume(Topology.Queue.department("other"), options: AttackTests.options)
    let delivery = try await next("the assignment", of: stolen)
    let assignment = try AssignmentCodec.decode(delivery)
    #expect(try await attacker.publish(try report(assignment, by: id)) == .confirmed)
    let claims = ReportCodec.encode([
      ClaimRequest(release: assignment.release, ledger: assignment.ledger, worker: id, number: 1)
    ])
    #expect(try await attacker.publish(try #require(claims.first)) == .confirmed)
    try await scene.expectNotAllowed(3)
    #expect(try await scene.system.state(of: job) == "queued")
    // What it took from the queue is the others' again.
    await attacker.close()
    let worker = try await scene.worker("other=1")
    #expect(Set(try await scene.system.outcomes(of: [job]).values) == ["succeeded"])
    for process in [worker, scene.coordinator] { try await process.close() }
  }

  @Test("nobody speaks for another one's worker, also without `users:`, and after the coordinator was replaced")
  func otherWorker() async throws {
    let scene = try await Scene(more: "")
    let worker = try await scene.worker("work=1")
    let job = try #require(try await scene.system.submit(1, #"{"kind": "gate"}"#).first)
    try await scene.system.expectRuns(1)
    let real = try await scene.workerID()
    let attacker = try await scene.roles.connect("insider")
    try await attacker.publish(presence(of: real, session: 99, tellers: ["work": 1], isGoodbye: true))
    try await attacker.publish(presence(of: real, session: 99, tellers: ["work": 9]))
    try await scene.expectNotAllowed(2)
    #expect(try await scene.workerID() == real)

    try await scene.coordinator.close()
    let second = try await scene.system.startCoordinator(environment: scene.roles.environment(of: "coordinator"))
    try await attacker.publish(presence(of: real, session: 99, tellers: ["work": 1], isGoodbye: true))
    try await scene.expectNotAllowed(1)
    try await eventually("the worker is heard with its job", within: TellerSystem.limit) {
      try await scene.system.state(of: job) == "running"
    }
    try scene.system.openGate()
    #expect(Set(try await scene.system.outcomes(of: [job]).values) == ["succeeded"])
    await attacker.close()
    for process in [worker, second] { try await process.close() }
  }
}
