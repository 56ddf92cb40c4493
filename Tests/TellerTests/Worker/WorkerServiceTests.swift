import JobModel
import Logging
import ServiceLifecycle
import Testing
import TestSupport

@testable import Teller

@Suite("A worker among other services", .timeLimit(.minutes(10)))
struct WorkerServiceTests {
  /// A test that waits for its goodbye is to hear it, however busy the machine is.
  private static let timeouts: WorkerTimeouts = {
    var timeouts = WorkerTimeouts()
    timeouts.goodbye = patience
    return timeouts
  }()

  @Test("the graceful shutdown of its group drains it: what runs ends, and is reported")
  func drained() async throws {
    let peer = try await WorkerPeer.start()
    let (stage, log) = (WorkerStage(), WorkerLog())
    let worker = Worker(
      try TellerConfiguration(broker: peer.url), departments: ["deposit": 1], timeouts: Self.timeouts,
      logger: log.logger)
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

  /// A service that runs until its group is shut down, and says how it has ended.
  private struct Neighbour: Service {
    let ended: AsyncStream<String>.Continuation

    func run() async throws {
      do {
        try await gracefulShutdown()
        ended.yield("shut down")
      } catch {
        ended.yield("cancelled")
        throw error
      }
    }
  }

  /// A group of a worker, which is ordered to drain, and a neighbour.
  ///
  /// - Returns: How the neighbour has ended, and what the group threw.
  private func ended(
    _ behavior: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior?, runsOn: Bool = false
  ) async throws -> (neighbour: String?, error: (any Error)?) {
    let peer = try await WorkerPeer.start()
    let log = WorkerLog()
    let worker = Worker(
      try TellerConfiguration(broker: peer.url), departments: ["deposit": 1], timeouts: Self.timeouts,
      logger: log.logger)
    worker.register(Staged(stage: WorkerStage()))
    let (ends, ended) = AsyncStream.makeStream(of: String.self)
    let configured =
      behavior.map { ServiceGroupConfiguration.ServiceConfiguration(service: worker, successTerminationBehavior: $0) }
      ?? .init(service: worker)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: Neighbour(ended: ended)), configured], logger: Logger(label: "test")))
    let running = Task { try await group.run() }
    let presence = try await peer.welcomeNext()
    try await peer.staff(Staffing(isToDrain: true), presence.worker)
    _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
    // A group that goes on has to be shut down.
    if runsOn { await group.triggerGracefulShutdown() }
    let result = try await limited("the group's end") { await running.result }
    let neighbour = try await limited("the neighbour's end") { () -> String? in
      for await end in ends { return end }
      return nil
    }
    await peer.close()
    guard case .failure(let error) = result else { return (neighbour, nil) }
    return (neighbour, error)
  }

  @Test("ordered to drain it ends alone, and the group does what it was told about that")
  func ordered() async throws {
    let graceful = try await ended(.gracefullyShutdownGroup)
    #expect(graceful.neighbour == "shut down" && graceful.error == nil)
    let ignored = try await ended(.ignore, runsOn: true)
    #expect(ignored.neighbour == "shut down" && ignored.error == nil)
  }

  @Test("a group that was told nothing takes the end of a drained worker for a failure, and cancels its neighbours")
  func orderedByDefault() async throws {
    let unexpected = try await ended(nil)
    #expect(unexpected.neighbour == "cancelled")
    #expect((unexpected.error as? ServiceGroupError) == .serviceFinishedUnexpectedly())
  }

  @Test("it starts while its broker is away, and serves once the broker is there")
  func brokerAway() async throws {
    let broker = try await BrokerNode.start()
    let url = broker.url
    try await broker.stop()
    let (stage, log) = (WorkerStage(isOpen: true), WorkerLog())
    let worker = Worker(
      try TellerConfiguration(broker: url), departments: ["deposit": 1], timeouts: Self.timeouts, logger: log.logger)
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
