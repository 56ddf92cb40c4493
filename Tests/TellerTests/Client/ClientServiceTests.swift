import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Logging
import ServiceLifecycle
import Testing
import TestSupport

@testable import Teller

@Suite("A client as a service of a server", .timeLimit(.minutes(15)))
struct ClientServiceTests {
  /// Shuts the group down when it is told to.
  private struct Server: Service {
    let shutdown = OneShot<Void>()
    let group = OneShot<ServiceGroup>()

    func run() async throws {
      try await shutdown.value
      await (try await group.value).triggerGracefulShutdown()
      try await gracefulShutdown()
    }
  }

  @Test("a broker that is away at the start is waited for, and a graceful shutdown drains what is being submitted")
  func lifecycle() async throws {
    let node = try await BrokerNode.start()
    try await CoordinatorPart.start(at: node.url).close()
    try await node.stop()
    let log = WorkerLog()
    var timeouts = ClientTimeouts.quick
    timeouts.close = patience
    let client = TellerClient(try TellerConfiguration(broker: node.url), timeouts: timeouts, logger: log.logger)
    let server = Server()
    let group = ServiceGroup(services: [client, server], logger: log.logger)
    server.group.fulfil(.success(group))
    let running = Task { try await group.run() }
    let early = Task { try await client.submit(Deposit.self, .init(cents: 1)).id }
    try await log.next(containing: "broker not reachable")
    try await node.start()
    let id = try await limited("a submission from before the broker") { try await early.value }
    #expect(log.messages.count { $0.contains("broker not reachable") } == 1)
    // Nothing is confirmed while the broker stands still: the shutdown begins before the last submission is through.
    try await node.freeze()
    let late = Task { try await client.submit(Deposit.self, .init(cents: 2)).id }
    try await eventually("the submission is under way", within: patience) { client.core.openSubmissions.count == 1 }
    server.shutdown.fulfil()
    try await node.thaw()
    try await limited("the end of the group") { try await running.value }
    let coordinator = try await CoordinatorPart.start(at: node.url)
    var ids: Set<JobID> = []
    for _ in 1...2 { ids.insert(try await coordinator.nextJob().id) }
    #expect(ids == [id, try await late.value])
    await #expect(throws: TellerError.closed) { try await client.submit(Deposit.self, .init(cents: 3)) }
    await coordinator.close()
    try await node.close()
  }

  @Test("a client that the broker does not let in ends its service with the reason")
  func refused() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    url.password = "wrong"
    var configuration = TellerConfiguration()
    configuration.brokerURL = url
    let client = TellerClient(configuration, timeouts: .quick)
    let error = try await limited("the refusal") { await #expect(throws: TellerError.self) { try await client.run() } }
    guard case .brokerRefused? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a client runs once, ends with its task, and ends when it is closed")
  func ends() async throws {
    let coordinator = try await CoordinatorPart.start()
    let configuration = try TellerConfiguration(broker: coordinator.url)
    let client = TellerClient(configuration, timeouts: .quick)
    let running = Task { try await client.run() }
    _ = try await client.submit(Deposit.self, .init(cents: 1))
    let again = await #expect(throws: TellerError.self) { try await client.run() }
    guard case .invalid? = again else {
      Issue.record("\(String(describing: again))")
      return
    }
    running.cancel()
    try await limited("the end of a cancelled client") { try await running.value }
    let other = TellerClient(configuration, timeouts: .quick)
    let serving = Task { try await other.run() }
    _ = try await other.submit(Deposit.self, .init(cents: 1))
    await other.close()
    try await limited("the end of a closed client") { try await serving.value }
    await #expect(throws: TellerError.closed) { try await TellerClient.closed(configuration).run() }
    await coordinator.close()
  }
}

extension TellerClient {
  fileprivate static func closed(_ configuration: TellerConfiguration) async -> TellerClient {
    let client = TellerClient(configuration)
    await client.close()
    return client
  }
}
