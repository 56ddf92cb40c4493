import AuditSupport
import Foundation
import JobModel
import SystemSupport
import TestSupport

/// A coordinator, workers, and the plan that opens a bank, in a virtual host of their own.
actor OpeningScene {
  nonisolated let system: TellerSystem
  private var coordinator: RunningProcess?
  private var workers: [RunningProcess] = []
  private(set) var deaths: [pid_t: Int] = [:]

  /// A scene where nothing is started yet; one step may wait until the gate is opened.
  init(on broker: BrokerNode, lease: String = TellerSystem.lease, waitingAt waiting: String? = nil) async throws {
    system = try TellerSystem(
      brokerURL: try await broker.makeVirtualHost(), lease: lease, departments: OpeningPlan.departments,
      more: OpeningPlan.configuration(waitingAt: waiting))
  }

  // MARK: Who takes part

  func begin(workers count: Int) async throws {
    coordinator = try await system.startCoordinator()
    for _ in 0..<count { try launchWorker() }
    for worker in workers { try await worker.waitForLine(containing: "ready", within: TellerSystem.limit) }
  }

  func startWorker() async throws {
    try await launchWorker().waitForLine(containing: "ready", within: TellerSystem.limit)
  }

  @discardableResult
  private func launchWorker() throws -> RunningProcess {
    let worker = try system.launchWorker(["init=1", "deposit=1", "loan=1"])
    workers.append(worker)
    return worker
  }

  /// The worker is gone when this returns.
  func killWorker(_ pid: pid_t) async throws {
    guard let index = workers.firstIndex(where: { $0.pid == pid }) else {
      throw StageError(what: "no worker has the process id \(pid)")
    }
    let worker = workers.remove(at: index)
    worker.signal(SIGKILL)
    try await worker.waitForExit(within: TellerSystem.limit)
    deaths[pid] = system.effectLines.count
  }

  func killCoordinator() async throws { try await endCoordinator(by: SIGKILL) }

  /// In good order: what it has recorded is acked, so that it does not come again.
  func endCoordinator() async throws { try await endCoordinator(by: SIGTERM) }

  private func endCoordinator(by signal: Int32) async throws {
    coordinator?.signal(signal)
    try await coordinator?.waitForExit(within: TellerSystem.limit)
  }

  func startCoordinator() async throws { coordinator = try await system.startCoordinator() }

  /// Has a coordinator serve that dies at a point of the flow: by the next message, and by none that comes again.
  func replaceCoordinator(dyingAt point: String) async throws -> RunningProcess {
    try await endCoordinator()
    let doomed = try launchCoordinator(dyingAt: point)
    try await doomed.waitForLine(containing: "serving", within: TellerSystem.limit)
    return doomed
  }

  /// One that may die before it serves.
  func launchCoordinator(dyingAt point: String) throws -> RunningProcess {
    let doomed = try system.launch("teller", ["coordinator"], environment: ["TELLER_FAULT_POINT": point])
    coordinator = doomed
    return doomed
  }

  func close() async throws {
    for process in workers + [coordinator].compactMap({ $0 }) { try await process.close() }
  }

  // MARK: What happens

  /// Starts the plan, and returns the id of the run.
  @discardableResult
  func open(payload: String? = nil) async throws -> String {
    let payload = payload.map { ["--payload", $0] } ?? []
    let ended = try await system.run("teller", ["plan", "start", "opening"] + payload)
    guard ended.status == 0, let run = ended.lines.first else { throw StageError(what: "\(ended.errors)") }
    return run
  }

  /// Submits a job that is of no plan.
  func submit(_ name: String, to department: String) async throws -> [String] {
    try await system.submit(
      1, #"{"kind": "step", "department": "\#(department)", "payload": {"name": "\#(name)"}}"#)
  }

  nonisolated var runs: [StepRun] { StepRun.runs(of: system.effectLines) }

  /// Waits until a handler of that name has begun.
  nonisolated func hasBegun(_ name: String) async throws -> StepRun {
    let first = { self.runs.first { $0.name == name } }
    try await eventually("\(name) runs", within: TellerSystem.limit, lastState: { system.logs }) { first() != nil }
    guard let run = first() else { throw StageError(what: "\(name) does not run") }
    return run
  }

  /// Waits until the handler of a run has come to its end.
  nonisolated func hasEnded(_ run: StepRun) async throws {
    try await eventually("\(run.label) ends", within: TellerSystem.limit) {
      self.runs.contains { $0.began == run.began && $0.ended != nil }
    }
  }

  /// Waits until a job that comes behind everything in the plan's department has run: what would run twice has begun.
  func settle() async throws {
    _ = try await system.outcomes(of: try await submit(OpeningChecker.closing, to: "init"))
  }

  // MARK: The ledger

  func plan() async throws -> PlanDetails { try await answer("plan", "show", "opening") }
  func job(_ id: String) async throws -> JobRecord { try await answer("show", id) }
  func event(_ id: JobID) async throws -> EventStatus { try await answer("event", "show", id.description) }

  private func answer<Answer: Decodable>(_ arguments: String...) async throws -> Answer {
    let ended = try await system.ask(arguments + ["--json"])
    guard ended.status == 0 else { throw StageError(what: "\(arguments): \(ended.errors)") }
    return try JSONDecoder().decode(Answer.self, from: Data(ended.lines.joined(separator: "\n").utf8))
  }
}
