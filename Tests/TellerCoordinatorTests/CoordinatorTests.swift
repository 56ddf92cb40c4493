import Coordinator
import Foundation
import HostingSupport
import JobModel
import Logging
import ServiceLifecycle
import Synchronization
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import Hosting
@testable import TellerCoordinator

@Suite("A coordinator in a program", .timeLimit(.minutes(10)))
struct CoordinatorTests {
  private let told = ToldCalls()
  private let log = ServiceLog()
  private let place: CoordinatorPlace

  init() async throws {
    place = try CoordinatorPlace(broker: try await BrokerNode.shared.makeVirtualHost())
  }

  private func coordinator(_ file: String = "departments: {work: {}}\n") throws -> Coordinator {
    let coordinator = try place.coordinator(file, logger: log.logger)
    coordinator.add(Witness("a", told))
    return coordinator
  }

  @Test("is made from a file, serves, tells its services of its life, and drains when its group shuts down")
  func life() async throws {
    let group = ServiceGroup(services: [try coordinator()], logger: log.logger)
    let running = Task { try await group.run() }
    try await told.wait(for: "a opened")
    var timeouts = ClientTimeouts()
    (timeouts.connect, timeouts.request) = (patience, patience)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: place.broker), timeouts: timeouts)
    #expect(try await client.status().departments.map(\.department) == ["work"])
    await client.close()
    await group.triggerGracefulShutdown()
    // First: a wait for the group itself would not end where nobody drains.
    try await told.wait(for: "a stopped")
    try await limited("the group's end") { try await running.value }
    // Where it gets no processor for seconds, it loses its connection in between.
    let life = told.of("a").filter { !["paused", "resumed"].contains($0) }
    #expect(life == ["started", "opened", "draining", "stopped"])
    #expect(log.lines.contains { $0.hasSuffix(": drained") })
  }

  @Test("ends at once when its task is cancelled, and runs once")
  func cancelled() async throws {
    let coordinator = try coordinator()
    let running = Task { try await coordinator.run() }
    try await told.wait(for: "a opened")
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    let calls = told.of("a")
    #expect(calls.first == "started" && calls.last == "stopped" && !calls.contains("draining"), "\(calls)")
    await #expect(throws: CoordinatorError.alreadyRun) { try await coordinator.run() }
  }

  @Test("stands by while another one has the ledger, and may be drained meanwhile")
  func standby() async throws {
    let (first, second) = (try coordinator(), try place.coordinator(logger: log.logger))
    second.add(Witness("b", told))
    let active = Task { try await first.run() }
    try await told.wait(for: "a opened")
    let waiting = Task { try await second.run() }
    try await log.wait(for: "standby: another coordinator has the ledger")
    #expect(second.health().checks.contains { $0.name == "standby" && !$0.isOK })
    second.drain()
    try await limited("the end of the standby") { try await waiting.value }
    #expect(told.of("b") == ["started", "draining", "stopped"])
    first.drain()
    try await limited("the end of the active one") { try await active.value }
  }

  @Test("reads its file again when it is told to, and keeps its settings when the file has a mistake")
  func reload() async throws {
    let coordinator = try coordinator("departments: {work: {cap: 1}}\n")
    let running = Task { try await coordinator.run() }
    try await told.wait(for: "a opened")
    try place.write("departments: {work: {cap: none}}\n")
    coordinator.reload()
    try await log.wait(for: "error: nothing is changed: 1 mistake in \(place.file)")
    #expect(log.lines.contains { $0.hasPrefix("error: \(place.file):1: ") })
    try place.write("departments: {work: {cap: 3}}\n")
    coordinator.reload()
    try await log.wait(for: "reloaded \(place.file): department work: cap 1 → 3")
    coordinator.drain()
    try await limited("the coordinator's end") { try await running.value }
  }

  /// Where the coordinator answers; the port was free.
  private func healthAddress() throws -> HealthAddress {
    let line = "health at http://"
    let text = try #require(log.lines.first { $0.contains(line) }?.components(separatedBy: line).last)
    return try #require(HealthAddress(text))
  }

  /// Its answer, however long the machine lets it take: it may have been too late for the server's own limit.
  private func ask(_ address: HealthAddress) async throws -> HealthDocument {
    var document: HealthDocument?
    try await eventually("it says how it is", within: patience) {
      document = try await HealthProbe.ask(address, within: patience)
      return document?.checks.contains { $0.name == "answer" } == false
    }
    return try #require(document)
  }

  @Test("answers health at the address of its file, and does not run where somebody else listens")
  func health() async throws {
    let coordinator = try coordinator("departments: {work: {}}\nhealth: 127.0.0.1:0\n")
    let running = Task { try await coordinator.run() }
    try await told.wait(for: "a opened")
    let address = try healthAddress()
    let answer = try await ask(address)
    #expect(answer.checks.map(\.name) == ["broker", "consumers", "loop", "ledger"])
    let other = try place.coordinator("departments: {work: {}}\nhealth: \(address)\n", logger: log.logger)
    other.add(Witness("b", told))
    await #expect(throws: HealthServerError.self) { try await other.run() }
    #expect(told.of("b").isEmpty)
    coordinator.drain()
    try await limited("the coordinator's end") { try await running.value }
  }

  @Test("answers health until its drain has ended, although its group has begun to shut down")
  func healthOfDrain() async throws {
    let gate = Gate()
    let coordinator = try place.coordinator("departments: {work: {}}\nhealth: 127.0.0.1:0\n", logger: log.logger)
    coordinator.add(Witness("a", told) { if $0 == "stopped" { await gate.wait() } })
    let group = ServiceGroup(services: [coordinator], logger: log.logger)
    let running = Task { try await group.run() }
    try await told.wait(for: "a opened")
    await group.triggerGracefulShutdown()
    try await told.wait(for: "a stopped")
    let answer = try await ask(try healthAddress())
    #expect(!answer.ready && answer.checks.contains { $0.name == "consumers" && $0.detail == "draining" })
    gate.open()
    try await limited("the group's end") { try await running.value }
  }
}

/// Where a test's coordinators have their file and their ledger, and whose broker they use.
struct CoordinatorPlace {
  let broker: String
  private let folder: TemporaryFolder

  init(broker: String) throws {
    self.broker = broker
    folder = try TemporaryFolder()
  }

  var file: String { folder.appending("teller.yaml").path }
  var ledger: String { folder.appending("teller.ledger").path }

  func write(_ text: String) throws { try Data(text.utf8).write(to: folder.appending("teller.yaml")) }

  /// A coordinator from a file with that text. The broker comes from the environment, the ledger from the argument.
  func coordinator(_ text: String = "departments: {work: {}}\n", logger: Logger) throws -> Coordinator {
    try write(text)
    let coordinator = try Coordinator(
      file: file, ledger: ledger, logger: logger, environment: ["TELLER_BROKER_URL": broker])
    coordinator.service.services.limits.withLock { $0 = .patient }
    return coordinator
  }
}
