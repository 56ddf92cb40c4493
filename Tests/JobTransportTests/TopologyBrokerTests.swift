import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@Suite("The topology on the broker", .timeLimit(.minutes(10)))
struct TopologyBrokerTests {
  @Test("everything can be declared twice, and is there")
  func twice() async throws {
    let connection = try await Broker.prepared(departments: ["init", "loan"])
    try await Topology.declareAll(on: connection, departments: ["init", "loan"])
    for queue in Topology.queues.map(\.name) + ["teller.department.init", "teller.department.loan"] {
      #expect(try await connection.state(of: queue).messageCount == 0)
    }
    await connection.close()
  }

  @Test("a second coordinator is refused while the first has its queue, and has it once the first is gone")
  func coordinators() async throws {
    let broker = try await Broker.make()
    let (first, second) = (try await broker.connect(), try await broker.connect())
    try await Topology.declareCoordinatorQueue(on: first)
    let error = await #expect(throws: AMQPError.self) { try await Topology.declareCoordinatorQueue(on: second) }
    guard case .channelClosed(code: 405, text: _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await first.close()
    // A slow broker has not always answered the goodbye by then: it frees the queue when it notices the end.
    try await eventually("the queue is free", within: patience) {
      let third = try await broker.connect()
      try await Topology.declareCoordinatorQueue(on: third)
      await third.close()
      return true
    }
  }

  @Test("a worker's queue hears what is for all, for its departments and for it alone")
  func workerQueue() async throws {
    let connection = try await Broker.prepared()
    let worker = WorkerID()
    try await Topology.declareWorkerQueue(worker, departments: ["counter"], on: connection)
    for key in ["all", "department.counter", "department.other", "worker.\(worker)"] {
      let properties = MessageProperties(messageID: key)
      try await connection.publish(
        TransientPublishing(exchange: "teller.control", routingKey: key, properties: properties, body: []))
    }
    let heard = try await connection.take(3, from: Topology.Queue.worker(worker))
    #expect(heard.map(\.properties.messageID) == ["all", "department.counter", "worker.\(worker)"])
    await connection.close()
  }

  @Test("assignments of a department come by priority")
  func priorities() async throws {
    let connection = try await Broker.prepared()
    var random = SeededRandom(for: "assignments by priority")
    for level in [4, 0, 9, 5] {
      var assignment = random.assignment()
      assignment.department = "counter"
      assignment.priority = Priority(level) ?? .normal
      assignment.ledger = LedgerID("l\(level)")
      try await connection.put(AssignmentCodec.encode(assignment))
    }
    let deliveries = try await connection.take(4, from: Topology.Queue.department("counter"))
    #expect(try deliveries.map { try AssignmentCodec.decode($0).priority.level } == [9, 5, 4, 0])
    await connection.close()
  }

  @Test("where no coordinator has ever run, submitting says that there is no such exchange")
  func nothingDeclared() async throws {
    let connection = try await Broker.make().connect()
    let error = await #expect(throws: AMQPError.self) {
      _ = try await connection.publish(SubmissionCodec.encode(Submission(id: JobID(), kind: "k")))
    }
    guard case .channelClosed(code: 404, text: _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
