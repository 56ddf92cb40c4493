import AMQP
import HostingSupport
import JobModel
import JobTransport
import Synchronization
import Testing
import TestSupport

@testable import Hosting
@testable import Teller

@Suite("The services of a client", .timeLimit(.minutes(15)))
struct ClientServicesTests {
  private let told = ToldCalls()

  @Test("are told of its connection, of the loss of it, and of its end")
  func life() async throws {
    let part = try await CoordinatorPart.start()
    let client = TellerClient(try TellerConfiguration(broker: part.url), timeouts: .quick)
    client.core.services.limits.withLock { $0 = .patient }
    client.add(Witness("a", told))
    let running = Task { try await client.run() }
    try await told.wait(for: "a opened")
    await (try await client.core.links.current).replies.provokeLoss()
    try await told.wait(for: "a paused")
    try await told.wait(for: "a resumed")
    await client.close()
    try await limited("the client's end") { try await running.value }
    #expect(told.of("a") == ["started", "opened", "paused", "resumed", "draining", "stopped"])
    await part.close()
  }

  @Test("are told of a pause while the broker takes no messages")
  func blocked() async throws {
    let node = try await BrokerNode.start()
    let part = try await CoordinatorPart.start(at: node.url)
    let client = try await part.client()
    client.core.services.limits.withLock { $0 = .patient }
    client.add(Witness("a", told))
    try await told.wait(for: "a opened")
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    let early = Task { try await client.submit(Deposit.self, .init(cents: 1)).id }
    try await told.wait(for: "a paused")
    try await node.ctl("set_vm_memory_high_watermark", "0.4")
    try await told.wait(for: "a resumed")
    _ = try await early.value
    await client.close()
    #expect(told.of("a") == ["started", "opened", "paused", "resumed", "draining", "stopped"])
    await part.close()
    try await node.close()
  }

  @Test("one that is added to a connected client is told so, hears of events, and may hold its client")
  func late() async throws {
    struct Holder: HostedService { let client: TellerClient }
    let part = try await CoordinatorPart.start()
    let client = try await part.client()
    client.core.services.limits.withLock { $0 = .patient }
    client.add(Witness("a", told))
    client.add(Holder(client: client))
    try await told.wait(for: "a opened")
    client.core.services.received(
      EventStatus(
        id: JobID(), name: "push", plan: "day", state: .kept, department: "work", kind: "push", receivedAt: .now(),
        decidedAt: nil))
    try await told.wait(for: "a received")
    await client.close()
    #expect(client.core.services.ifAny == nil, "a client that is closed lets go of who holds it")
    #expect(told.of("a") == ["started", "opened", "received", "draining", "stopped"])
    await part.close()
  }

  @Test("that hang, block or throw do not keep it from connecting, working and closing")
  func harmless() async throws {
    let (part, gate) = (try await CoordinatorPart.start(), Gate())
    let client = TellerClient(try TellerConfiguration(broker: part.url), timeouts: .quick)
    let services = client.core.services
    services.limits.withLock { $0 = .patient }
    services.add(Witness("hanging", told) { _ in await gate.wait() }, within: .seconds(1))
    services.add(Witness("blocking", told) { if $0 == "opened" { gate.block() } }, within: .seconds(1))
    client.add(Witness("throwing", told) { _ in throw ServiceMistake() })
    client.add(Witness("normal", told))
    try await client.connect()
    _ = try await client.submit(Deposit.self, .init(cents: 1))
    for name in ["normal", "blocking"] { try await told.wait(for: "\(name) opened") }
    try await limited("the client's close") { await client.close() }
    for name in ["normal", "throwing"] { #expect(told.of(name) == ["started", "opened", "draining", "stopped"]) }
    #expect(told.of("hanging") == ["started"])
    #expect(told.of("blocking") == ["started", "opened"])
    gate.open()
    await part.close()
  }

  @Test("of a client that the broker does not let in are told that it has stopped")
  func refused() async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    url.password = "wrong"
    var configuration = TellerConfiguration()
    configuration.brokerURL = url
    let client = TellerClient(configuration, timeouts: .quick)
    client.core.services.limits.withLock { $0 = .patient }
    client.add(Witness("a", told))
    await #expect(throws: TellerError.self) { try await client.run() }
    #expect(told.of("a") == ["started", "stopped"])
  }
}
