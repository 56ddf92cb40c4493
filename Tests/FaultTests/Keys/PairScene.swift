import ClientSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// A coordinator, a worker, two clients that press the same button at once, and two subscribers that watch all the time.
actor PairScene {
  nonisolated let system: TellerSystem
  private let broker: BrokerNode
  private var coordinator: RunningProcess?
  private var clients: [TellerClient] = []
  private var subscribers: [Task<[String], any Error>] = []

  init(on broker: BrokerNode) async throws {
    self.broker = broker
    system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
  }

  func begin() async throws {
    coordinator = try await system.startCoordinator()
    _ = try await system.startWorker("work=4")
    for name in ["left", "right", "first subscriber", "second subscriber"] { clients.append(try await client(name)) }
    for client in clients.suffix(2) {
      let events = try await client.events(since: .start)
      subscribers.append(Task { try await PairScene.outcomes(in: events) })
    }
  }

  private func client(_ name: String) async throws -> TellerClient {
    try await TellerClient.connect(TellerConfiguration(broker: system.brokerURL), name: name, timeouts: .patient)
  }

  /// The name of the job that comes last: behind it nothing is told any more.
  private static let last: JobKind = "noop"

  private static func outcomes(in events: JobEvents) async throws -> [String] {
    var told: [String] = []
    for try await event in events where !event.isLive {
      if event.kind == last { return told }
      told.append(event.job?.description ?? "")
    }
    return told
  }

  // MARK: What they do

  /// Both clients submit a job with that key at once, and wait for its outcome.
  nonisolated func submitPair(_ key: String) async throws -> PairOutcome {
    let pair = Array(await clients.prefix(2))
    async let left = press(key, pair[0])
    async let right = press(key, pair[1])
    let (one, other) = (try await left, try await right)
    return PairOutcome(key: key, jobs: [one.job, other.job], first: one.outcome, second: other.outcome)
  }

  private nonisolated func press(_ key: String, _ client: TellerClient) async throws -> (job: JobID, outcome: Outcome) {
    var submission = JobSubmission(kind: "effect", payload: Array(#"{"ms": 50}"#.utf8))
    submission.key = key
    let handle = try await client.submit(submission)
    let outcome = try await handle.outcome(timeout: TellerSystem.longLimit)
    return (handle.duplicateOf ?? handle.id, outcome)
  }

  /// Harms the system in the middle of a wave, and heals it.
  func harm(_ fault: PairFault, after runs: Int) async throws {
    if let point = fault.point { return try await replaceCoordinator(dyingAt: point) }
    try await eventually("the wave is under way", within: TellerSystem.limit, lastState: { system.logs }) {
      system.effects.count >= runs + 1
    }
    if fault == .brokerKilled {
      // Else it may not find the stream again.
      try await broker.writeDown()
      try await broker.kill()
      return try await broker.start()
    }
    coordinator?.signal(SIGKILL)
    try await coordinator?.waitForExit(within: TellerSystem.limit)
    coordinator = try await system.startCoordinator()
  }

  /// A coordinator serves that dies at a point of the flow, and then another one.
  private func replaceCoordinator(dyingAt point: String) async throws {
    coordinator?.signal(SIGKILL)
    try await coordinator?.waitForExit(within: TellerSystem.limit)
    let doomed = try system.launch("teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": point])
    try await doomed.expectEnd(with: 128 + SIGKILL)
    coordinator = try await system.startCoordinator()
  }

  // MARK: What there is in the end

  nonisolated var runs: [String] { system.effects.map(\.job) }

  func outcome(of key: String) async throws -> Outcome {
    try await clients[0].outcome(of: JobKey(kind: "effect", key: key), timeout: TellerSystem.limit)
  }

  func recordedJobs() async throws -> Set<JobID> {
    var jobs: Set<JobID> = []
    var query = JobQuery(limit: JobQuery.limits.upperBound)
    repeat {
      let page = try await clients[0].jobs(query)
      jobs.formUnion(page.jobs.filter { $0.kind == "effect" }.map(\.id))
      query.before = page.next
    } while query.before != nil
    return jobs
  }

  /// The jobs that each subscriber was told of, in the order of the notifications.
  func told() async throws -> [[String]] {
    _ = try await system.submit(1, #"{"kind": "noop"}"#)
    var all: [[String]] = []
    for subscriber in subscribers {
      all.append(
        try await within(TellerSystem.limit, orThrow: { StageError(what: "a subscriber misses outcomes") }) {
          try await subscriber.value
        })
    }
    return all
  }

  func close() async throws {
    subscribers.forEach { $0.cancel() }
    for client in clients { await client.close() }
    for process in system.processes.map(\.process) { try await process.close() }
  }
}
