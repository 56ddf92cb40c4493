import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose peers are not there", .timeLimit(.minutes(10)))
struct ClientTimeoutsTests {
  @Test("a broker that nobody runs is told with its address, without the password")
  func noBroker() async throws {
    let configuration = try TellerConfiguration(broker: "amqp://teller:hunter2@127.0.0.1:1/")
    var timeouts = ClientTimeouts.quick
    // Not after a time: on a busy machine nobody may have been asked by then.
    (timeouts.connect, timeouts.refused) = (.seconds(3_600), .milliseconds(1))
    let impatient = timeouts
    let error = await #expect(throws: TellerError.self) {
      try await TellerClient.connect(configuration, timeouts: impatient)
    }
    let text = "\(try #require(error))"
    #expect(text.contains("127.0.0.1:1") && text.contains("refuse"), "\(text)")
    #expect(!text.contains(".;") && !text.contains("?;"), "\(text)")
    #expect(!text.contains("hunter2"))
  }

  @Test("where nobody listens, a command line says so long before a program's patience ends")
  func nobodyListens() async throws {
    let configuration = try TellerConfiguration(broker: "amqp://127.0.0.1:1,127.0.0.1:2/")
    var timeouts = ClientTimeouts.quick
    (timeouts.connect, timeouts.refused) = (.seconds(3_600), .seconds(1))
    let client = timeouts
    let error = try await limited("the refusal") {
      await #expect(throws: TellerError.self) { try await TellerClient.connect(configuration, timeouts: client) }
    }
    guard case .brokerUnavailable(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("127.0.0.1:") && reason.contains("connection refused"), "\(reason)")
  }

  @Test("a client that nobody runs says that, and does not blame the broker")
  func notRunning() async throws {
    var timeouts = ClientTimeouts.quick
    (timeouts.submit, timeouts.request) = (.milliseconds(50), .milliseconds(50))
    let client = TellerClient(try TellerConfiguration(broker: "amqp://127.0.0.1:1/"), timeouts: timeouts)
    await #expect(throws: TellerError.notRunning) { try await client.submit(Deposit.self, .init(cents: 1)) }
    await #expect(throws: TellerError.notRunning) { try await client.status() }
    await client.close()
  }

  @Test("a wrong password is refused at once")
  func wrongPassword() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    url.password = "wrong"
    var configuration = TellerConfiguration()
    configuration.brokerURL = url
    let wrong = configuration
    let error = await #expect(throws: TellerError.self) { try await TellerClient.connect(wrong, timeouts: .quick) }
    guard case .brokerRefused? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("on a broker where no coordinator has ever run, submitting, asking and watching say so")
  func noCoordinatorEver() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    // Longer than the longest pause between two connections: each of the three has to meet on one of its own what is
    // missing, and until then the connection that breaks under it is all that it can tell of.
    try await withGrowingLimit(from: .seconds(12)) { limit in
      var timeouts = ClientTimeouts.quick
      timeouts.submit = limit
      timeouts.request = limit
      timeouts.connect = limit
      let client = try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
      let tasks: [Task<Void, any Error>] = [
        Task { _ = try await client.submit(Deposit.self, .init(cents: 1)) },
        Task { _ = try await client.status() },
        Task { _ = try await client.events(since: .start) },
      ]
      var errors: [TellerError] = []
      for task in tasks {
        let error = await #expect(throws: TellerError.self) { try await task.value }
        if let error { errors.append(error) }
      }
      await client.close()
      if let slow = errors.first(where: \.isOfSlowBroker) { throw slow }
      #expect(errors == Array(repeating: TellerError.noCoordinatorEver, count: 3))
    }
  }

  /// A queue with few places instead of the real one; read by the connection that is returned.
  private func shortQueue(of places: Int, at url: String) async throws -> Connection {
    let connection = try await Connection.patient(to: url, name: "test")
    try await connection.declare(ExchangeDeclaration(Topology.Exchange.submit, kind: .fanout))
    // A question would find nobody, which may be; without its exchange it would cost the client its connection.
    try await connection.declare(ExchangeDeclaration(Topology.Exchange.requests, kind: .direct))
    var queue = QueueDeclaration("short", arguments: QueueArguments(type: .classic))
    queue.arguments.maxLength = places
    queue.arguments.overflow = .rejectPublish
    _ = try await connection.declare(queue)
    try await connection.bind(queue: "short", exchange: Topology.Exchange.submit, routingKey: "")
    return connection
  }

  @Test(
    "a submission queue that is full holds submissions back until there is room, with the same ids",
    arguments: [false, true])
  func backPressure(together: Bool) async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await shortQueue(of: 1, at: url)
    // Nobody is there to be asked.
    var timeouts = ClientTimeouts.quick
    timeouts.silence = .seconds(600)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
    let first = try await client.submit(JobSubmission(kind: "deposit", payload: []))
    let rest = (1...2).map { _ in JobSubmission<JSONValue>(kind: "deposit", payload: []) }
    // Those of two calls may share a message, and those of one always do.
    async let submitted = withThrowingTaskGroup { group in
      if together { _ = try await client.submit(contentsOf: rest) }
      for submission in rest where !together { group.addTask { _ = try await client.submit(submission) } }
      try await group.waitForAll()
    }
    let consumer = try await connection.consume("short", options: ConsumeOptions(prefetch: 1))
    var received: [JobID] = []
    for await delivery in consumer {
      try await connection.ack(delivery.deliveryTag)
      for case .job(let job) in CoordinatorPart.submissions(in: delivery) { received.append(job.id) }
      // One that was sent again comes again, with its id.
      if Set(received).count == 3 { break }
    }
    #expect(received.first == first.id)
    try await submitted
    #expect(Set(received) == Set([first.id] + rest.map(\.id)))
    await client.close()
    await connection.close()
  }

  @Test("a submission queue that stays full is told as such")
  func staysFull() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await shortQueue(of: 2, at: url)
    // With a limit each, they do not share a message.
    let submissions = (1...5).map { _ in
      var submission = JobSubmission(kind: "deposit", payload: [])
      submission.timeout = .seconds(60)
      return submission
    }
    try await withGrowingLimit { limit in
      var timeouts = ClientTimeouts.quick
      timeouts.silence = .seconds(600)
      timeouts.submit = limit
      let client = try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
      do {
        _ = try await client.submit(contentsOf: submissions)
        Issue.record("a queue with two places took five")
      } catch TellerError.incomplete(_, of: 5, reason: .submissionsFull) {
        // As it should.
      }
      await client.close()
    }
    await connection.close()
  }

  @Test("a coordinator that is silent is told to whoever waits, and waiting can begin again")
  func silentCoordinator() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await withGrowingLimit { limit in
      var timeouts = ClientTimeouts.quick
      timeouts.request = limit
      timeouts.coordinator = limit
      let client = try await coordinator.client(timeouts: timeouts)
      let handle = try await client.submit(Deposit.self, .init(cents: 1))
      let job = try await coordinator.nextJob()
      do {
        try await handle.accepted()
        Issue.record("accepted by nobody")
      } catch TellerError.noCoordinator(let silentFor) {
        #expect(silentFor == limit)
      }
      try await coordinator.answer(job, .accepted)
      // The next question may find its limit before the answer has come: this wait is told too, and begins again.
      try await eventually("a wait that begins again hears of acceptance", within: CoordinatorPart.patience) {
        try await handle.accepted(timeout: CoordinatorPart.patience)
        return true
      }
      await client.close()
    }
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
    var timeouts = ClientTimeouts.quick
    timeouts.close = CoordinatorPart.patience
    timeouts.silence = .seconds(600)  // As above.
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
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
