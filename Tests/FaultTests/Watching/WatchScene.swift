import Foundation
import SystemSupport
import TestSupport

/// An event as a watch has printed it.
struct PrintedEvent: Hashable, Decodable, Sendable {
  var epoch: Int
  var seq: Int64
  var offset: Int64?
  var job: String?

  /// As `--since` takes it.
  var place: String { "\(epoch)/\(seq)" + (offset.map { "/\($0)" } ?? "") }
}

extension RunningProcess {
  /// What it has printed so far: whole lines only.
  var events: [PrintedEvent] {
    text(of: .standardOutput).compactMap { try? JSONDecoder().decode(PrintedEvent.self, from: Data($0.utf8)) }
  }
}

/// A coordinator, a worker, and a broker that may be killed, with watches that come and go.
actor WatchScene {
  nonisolated let system: TellerSystem
  private let broker: BrokerNode
  private var coordinator: RunningProcess?
  private let clock: SteppedClock

  init(on broker: BrokerNode) async throws {
    self.broker = broker
    system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
    clock = try await SteppedClock(in: system.folder.url, named: "watcher")
  }

  func begin() async throws {
    coordinator = try await system.startCoordinator()
    _ = try await system.startWorker("work=8")
  }

  // MARK: Watches

  /// The events of the stream: what is live may be missing.
  private static let recorded = ["--event", "succeeded", "failed", "cancelled", "attempt_failed"]

  /// A watch that reads on until it is ended.
  nonisolated func watch(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProcess {
    try system.launch(
      "teller", ["watch", "--json", "--log-level", "info"] + arguments + Self.recorded, environment: environment)
  }

  /// A watch by name on a machine whose clock is wrong by so much.
  func namedWatch(clockAhead time: Duration) throws -> RunningProcess {
    try clock.set(ahead: time)
    return try watch(["--name", "audit", "--since", "start"], environment: clock.environment)
  }

  /// Waits until a watch has printed all these jobs.
  nonisolated func expect(_ jobs: Set<String>, in watch: RunningProcess, _ name: String) async throws {
    try await eventually(
      "\(name) has printed \(jobs.count) outcomes", within: TellerSystem.longLimit,
      lastState: { "\(watch.events.count) events, \(watch.lines.suffix(3))\n\(system.logs)" }
    ) {
      jobs.isSubset(of: Set(watch.events.compactMap(\.job)))
    }
  }

  /// Has a job printed by each of these watches. One that has begun waits through a fault; one that begins while a
  /// coordinator or the broker is away ends soon.
  nonisolated func printed(by watches: [RunningProcess]) async throws -> Set<String> {
    let batch = try system.beginSubmitting(1, payload: "{}")
    let jobs = Set(batch.ids)
    for watch in watches { try await expect(jobs, in: watch, "a watch that has begun") }
    guard try await batch.ended.status == 0 else { throw StageError(what: "a job was not submitted\n\(system.logs)") }
    return jobs
  }

  /// Ends a watch, and says what it has printed.
  nonisolated func end(
    _ watch: RunningProcess, by signal: Int32
  ) async throws -> (events: [PrintedEvent], status: Int32) {
    watch.signal(signal)
    let status = try await watch.waitForExit(within: TellerSystem.limit)
    return (watch.events, status)
  }

  // MARK: Faults

  func killCoordinator() async throws {
    coordinator?.signal(SIGKILL)
    try await coordinator?.waitForExit(within: TellerSystem.limit)
    coordinator = try await system.startCoordinator()
  }

  func killBroker() async throws {
    // Else it may not find the stream again.
    try await broker.writeDown()
    try await broker.kill()
    try await broker.start()
  }

  func close() async throws {
    for process in system.processes.map(\.process) { try await process.close() }
  }
}
