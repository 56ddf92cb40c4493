import AMQP
import ClientSupport
import Decisions
import Foundation
import HostingSupport
import JobModel
import JobTransport
import Synchronization
import Teller
import Testing
import TestSupport

@testable import Coordinator
@testable import Hosting

@Suite("The services of a coordinator", .timeLimit(.minutes(10)))
struct CoordinatorServicesTests {
  private let told = ToldCalls()
  private let log = ServiceLog()
  private let folder: TemporaryFolder
  private let url: String

  init() async throws {
    folder = try TemporaryFolder()
    url = try await BrokerNode.shared.makeVirtualHost()
  }

  private func coordinator(_ ledger: String = "ledger") throws -> CoordinatorService {
    let configuration = CoordinatorConfiguration(
      departments: ["work": DepartmentSettings()], kinds: ["held": KindSettings(department: "work")])
    let service = CoordinatorService(
      configuration: configuration, broker: BrokerSource(try BrokerURL(url)), ledgerPath: folder.appending(ledger).path,
      logger: log.logger)
    service.services.limits.withLock { $0 = .patient }
    return service
  }

  /// Runs until the test opens the gate: for so long that the coordinator hears of its start.
  private struct Held: JobHandler {
    static let kind: JobKind = "held"
    let gate: Gate

    func run(context: JobContext<NoResult>) async throws -> NoResult {
      await gate.wait()
      return NoResult()
    }
  }

  /// One job of a worker, from its start to its end.
  private func runJob(_ gate: Gate, until isDone: () async throws -> Void) async throws {
    let configuration = try TellerConfiguration(broker: url)
    let worker = Worker(configuration, departments: ["work": 1], logger: log.logger)
    worker.register(Held(gate: gate))
    let working = Task { try await worker.run() }
    let client = try await TellerClient.connect(configuration, timeouts: .patient)
    _ = try await client.submit(Held.self, NoResult())
    try await isDone()
    await client.close()
    await worker.drain()
    try await working.value
  }

  @Test("are told of its life, and of the jobs that it records")
  func life() async throws {
    let (coordinator, gate) = (try coordinator(), Gate())
    coordinator.services.add(Witness("a", told))
    let running = Task { try await coordinator.run() }
    try await told.wait(for: "a opened")
    try await runJob(gate) {
      try await told.wait(for: "a jobStarted 0")
      gate.open()
      try await told.wait(for: "a jobEnded 1 succeeded")
    }
    try await BrokerNode.shared.ctl("close_all_connections", "--vhost", try BrokerURL(url).virtualHost, "test")
    try await told.wait(for: "a paused")
    try await told.wait(for: "a resumed")
    coordinator.drain()
    try await limited("the coordinator's end") { try await running.value }
    #expect(
      told.of("a") == [
        "started", "opened", "jobStarted 0", "jobEnded 1 succeeded", "paused", "resumed", "draining", "stopped",
      ])
  }

  @Test("of a standby are told that it is open when it becomes the active one")
  func standby() async throws {
    let (first, second) = (try coordinator(), try coordinator())
    first.services.add(Witness("first", told))
    second.services.add(Witness("second", told))
    let running = Task { try await first.run() }
    try await told.wait(for: "first opened")
    let waiting = Task { try await second.run() }
    try await log.wait(for: "standby: another coordinator has the ledger")
    first.drain()
    try await limited("the end of the first") { try await running.value }
    try await told.wait(for: "second opened")
    second.drain()
    try await limited("the end of the second") { try await waiting.value }
    let life = ["started", "opened", "draining", "stopped"]
    #expect(told.of("first") == life && told.of("second") == life)
    #expect(told.all.firstIndex(of: "second opened") ?? 0 > told.all.firstIndex(of: "first draining") ?? 0)
  }

  @Test("hang, block or throw: it serves, drains and ends, and a normal one is told everything")
  func harmless() async throws {
    let (coordinator, handlers, gate) = (try coordinator(), Gate(), Gate())
    let services = coordinator.services
    services.add(Witness("hanging", told) { _ in await gate.wait() }, within: .seconds(1))
    services.add(Witness("blocking", told) { if $0 == "opened" { gate.block() } }, within: .seconds(1))
    coordinator.services.add(Witness("throwing", told) { _ in throw ServiceMistake() })
    coordinator.services.add(Witness("normal", told))
    let running = Task { try await coordinator.run() }
    handlers.open()
    try await runJob(handlers) {
      for name in ["normal", "throwing"] { try await told.wait(for: "\(name) jobEnded 1 succeeded") }
    }
    coordinator.drain()
    try await limited("the coordinator's end", within: patience * 2) { try await running.value }
    for name in ["normal", "throwing"] {
      #expect(
        told.of(name).filter { !$0.hasPrefix("jobStarted") } == [
          "started", "opened", "jobEnded 1 succeeded", "draining", "stopped",
        ])
    }
    #expect(told.of("hanging") == ["started"])
    gate.open()
  }
}
