import JobModel
import Logging
import ServiceLifecycle
import Testing
import TestSupport

@testable import Teller

@Suite("A worker among other services", .timeLimit(.minutes(10)))
struct WorkerServiceTests {
  @Test("the graceful shutdown of its group drains it: what runs ends, and is reported")
  func drained() async throws {
    let peer = try await WorkerPeer.start()
    let (stage, log) = (WorkerStage(), WorkerLog())
    let worker = Worker(try TellerConfiguration(broker: peer.url), departments: ["deposit": 1], logger: log.logger)
    worker.register(Staged(stage: stage))
    let group = ServiceGroup(services: [worker], logger: Logger(label: "test"))
    let running = Task { try await group.run() }
    _ = try await peer.welcomeNext()
    let assignment = peer.assignment()
    try await peer.release(assignment)
    _ = try await stage.nextEntry()
    await group.triggerGracefulShutdown()
    try await log.next(containing: "draining: 1 jobs still run")
    stage.open()
    #expect(try await peer.nextReport().release == assignment.release)
    try await limited("the group's end") { try await running.value }
    await peer.close()
  }

  @Test("it starts while its broker is away, and serves once the broker is there")
  func brokerAway() async throws {
    let broker = try await BrokerNode.start()
    let url = broker.url
    try await broker.stop()
    let (stage, log) = (WorkerStage(isOpen: true), WorkerLog())
    let worker = Worker(try TellerConfiguration(broker: url), departments: ["deposit": 1], logger: log.logger)
    worker.register(Staged(stage: stage))
    let group = ServiceGroup(services: [worker], logger: Logger(label: "test"))
    let running = Task { try await group.run() }
    try await log.next(containing: "broker not reachable")
    try await broker.start()
    let peer = try await WorkerPeer.startAgain(at: url, ledger: LedgerID())
    _ = try await peer.welcomeNext()
    let assignment = peer.assignment()
    try await peer.release(assignment)
    #expect(try await peer.nextReport().release == assignment.release)
    await group.triggerGracefulShutdown()
    try await limited("the group's end") { try await running.value }
    await peer.close()
    try await broker.stop()
  }
}
