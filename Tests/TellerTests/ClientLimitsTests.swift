import AMQP
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose peers are not there", .timeLimit(.minutes(3)))
struct ClientLimitsTests {
  /// For waits that are to reach their limit.
  private var short: ClientLimits {
    var limits = ClientLimits.quick
    limits.submit = .seconds(1)
    limits.request = .seconds(1)
    limits.coordinator = .seconds(1)
    return limits
  }

  @Test("a broker that nobody runs is told with its address, without the password")
  func noBroker() async throws {
    let configuration = try TellerConfiguration(broker: "amqp://teller:hunter2@127.0.0.1:1/")
    var limits = ClientLimits.quick
    limits.connect = .seconds(1)
    let impatient = limits
    let error = await #expect(throws: TellerError.self) {
      try await TellerClient.connect(configuration, limits: impatient)
    }
    let text = "\(try #require(error))"
    #expect(text.contains("127.0.0.1:1"))
    #expect(!text.contains("hunter2"))
  }

  @Test("a wrong password is refused at once")
  func wrongPassword() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    url.password = "wrong"
    var configuration = TellerConfiguration()
    configuration.brokerURL = url
    let error = await #expect(throws: TellerError.self) { try await TellerClient.connect(configuration) }
    guard case .brokerRefused? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("on a broker where no coordinator has ever run, submitting, asking and watching say so")
  func noCoordinatorEver() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    // Longer than the longest pause between two connections.
    var limits = ClientLimits.quick
    limits.submit = .seconds(12)
    limits.request = .seconds(12)
    limits.connect = .seconds(12)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), limits: limits)
    let submitting = Task { try await client.submit(Deposit.self, .init(cents: 1)) }
    let asking = Task { try await client.status() }
    let watching = Task { try await client.notifications(since: .start) }
    await #expect(throws: TellerError.noCoordinatorEver) { try await submitting.value }
    await #expect(throws: TellerError.noCoordinatorEver) { try await asking.value }
    await #expect(throws: TellerError.noCoordinatorEver) { try await watching.value }
    await client.close()
  }

  /// A queue with few places instead of the real one; read by the connection that is returned.
  private func shortQueue(of places: Int, at url: String) async throws -> Connection {
    let connection = try await Connection.open(try BrokerURL(url), options: ConnectionOptions(name: "test"))
    try await connection.declare(ExchangeDeclaration(Topology.Exchange.submit, kind: .fanout))
    var queue = QueueDeclaration("short", arguments: QueueArguments(type: .classic))
    queue.arguments.maxLength = places
    queue.arguments.overflow = .rejectPublish
    _ = try await connection.declare(queue)
    try await connection.bind(queue: "short", exchange: Topology.Exchange.submit, routingKey: "")
    return connection
  }

  @Test("a submission queue that is full holds a submission back until there is room, with the same id")
  func backPressure() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await shortQueue(of: 1, at: url)
    // Nobody is there to be asked: a question would meet no exchange, and cost the client its connection.
    var limits = ClientLimits()
    limits.silence = .seconds(600)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), limits: limits)
    let first = try await client.submit(JobSubmission(kind: "deposit", payload: []))
    async let second = client.submit(JobSubmission(kind: "deposit", payload: []))
    async let third = client.submit(JobSubmission(kind: "deposit", payload: []))
    let consumer = try await connection.consume("short", options: ConsumeOptions(prefetch: 1))
    var received: [JobID] = []
    for await delivery in consumer {
      try await connection.ack(delivery.deliveryTag)
      if let id = delivery.properties.messageID.flatMap({ JobID($0) }) { received.append(id) }
      if received.count == 3 { break }
    }
    #expect(received.first == first.id)
    #expect(Set(received) == [first.id, try await second.id, try await third.id])
    await client.close()
    await connection.close()
  }

  @Test("a submission queue that stays full is told as such")
  func staysFull() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await shortQueue(of: 2, at: url)
    var limits = short
    limits.silence = .seconds(600)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), limits: limits)
    let submissions = (1...5).map { _ in JobSubmission(kind: "deposit", payload: []) }
    let error = await #expect(throws: TellerError.self) { try await client.submit(contentsOf: submissions) }
    guard case .incomplete(_, of: 5, reason: .submissionsFull)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
    await connection.close()
  }

  @Test("a coordinator that is silent is told to whoever waits, and waiting can begin again")
  func silentCoordinator() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(limits: short)
    let handle = try await client.submit(Deposit.self, .init(cents: 1))
    let error = await #expect(throws: TellerError.self) { try await handle.accepted() }
    guard case .noCoordinator? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await coordinator.answer(try await coordinator.nextJob(), .accepted)
    try await handle.accepted(timeout: CoordinatorPart.patience)
    await client.close()
    await coordinator.close()
  }

  @Test("a wait with a limit of its own ends with it")
  func timeout() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 1))
    let expected = TellerError.timedOut(waitingFor: "job \(handle.id) to end", limit: .milliseconds(50))
    await #expect(throws: expected) { try await handle.outcome(timeout: .milliseconds(50)) }
    await client.close()
    await coordinator.close()
  }

  @Test("closing ends every wait, and what follows")
  func close() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 1))
    let waiting = Task { try await handle.outcome() }
    await client.close()
    await #expect(throws: TellerError.closed) { try await waiting.value }
    await #expect(throws: TellerError.closed) { try await handle.accepted() }
    await #expect(throws: TellerError.closed) { try await client.submit(Deposit.self, .init(cents: 1)) }
    await client.close()
    await coordinator.close()
  }

  @Test("closing waits for what is being submitted")
  func closeWhileSubmitting() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await shortQueue(of: 1, at: url)
    var limits = ClientLimits.quick
    limits.close = CoordinatorPart.patience
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), limits: limits)
    _ = try await client.submit(Deposit.self, .init(cents: 1))
    let submitting = Task { try await client.submit(Deposit.self, .init(cents: 2)).id }
    try await eventually("the submission is under way", within: CoordinatorPart.patience) {
      client.core.openSubmissions.count == 1
    }
    async let closed: Void = client.close()
    let consumer = try await connection.consume("short", options: ConsumeOptions(prefetch: 1))
    var received: [String?] = []
    for await delivery in consumer {
      try await connection.ack(delivery.deliveryTag)
      received.append(delivery.properties.messageID)
      if received.count == 2 { break }
    }
    #expect(try await submitting.value.description == received.last)
    await closed
    await connection.close()
  }

  @Test("cancelling a task ends its wait")
  func cancellation() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 1))
    let task = Task { try await handle.outcome() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await client.close()
    await coordinator.close()
  }
}
