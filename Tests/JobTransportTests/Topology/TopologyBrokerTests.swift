import AMQP
import BrokerSupport
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

  @Test("a worker's queue hears what is for all, for its departments and for it alone")
  func workerQueue() async throws {
    let connection = try await Broker.prepared()
    let worker = WorkerID()
    let queue = try await Topology.declareWorkerQueue(worker, session: 1, departments: ["counter"], on: connection)
    for key in ["all", "department.counter", "department.other", "worker.\(worker)"] {
      let properties = MessageProperties(messageID: key)
      try await connection.publish(
        TransientPublishing(exchange: "teller.control", routingKey: key, properties: properties, body: []))
    }
    let heard = try await connection.take(3, from: queue)
    #expect(heard.map(\.properties.messageID) == ["all", "department.counter", "worker.\(worker)"])
    await connection.close()
  }

  @Test("a worker has its queue on a new connection while the broker still keeps that of the one before")
  func workerQueues() async throws {
    let broker = try await Broker.make()
    let (before, after) = (try await broker.connect(), try await broker.connect())
    try await Topology.declareAll(on: before, departments: [])
    let worker = WorkerID()
    let queues = [
      try await Topology.declareWorkerQueue(worker, session: 1, departments: [], on: before),
      try await Topology.declareWorkerQueue(worker, session: 2, departments: [], on: after),
    ]
    try await after.publish(ControlCodec.encode(probe: 5, to: worker))
    for (queue, connection) in zip(queues, [before, after]) {
      #expect(try await connection.take(from: queue).map { ControlCodec.decode($0) } == [.probe(number: 5, since: nil)])
      await connection.close()
    }
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
