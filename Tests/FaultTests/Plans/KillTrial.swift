import AuditSupport
import Foundation
import JobModel
import SystemSupport
import TestSupport

/// Who is killed: while a step runs, or when its end is recorded.
enum Victim: String, CaseIterable, Sendable {
  case coordinator, worker, broker
  case beforeRecord = "coordinator, before it recorded the end"
  case afterRecord = "coordinator, when it had recorded the end"

  /// The point of the flow at which the coordinator dies by itself.
  var point: String? {
    switch self {
    case .coordinator, .worker, .broker: nil
    case .beforeRecord: "recorder.before-record"
    case .afterRecord: "recorder.after-record-before-ack"
    }
  }
}

/// One opening during which somebody is killed while a step runs. A part that fails ends the trial, and no other one.
actor KillTrial {
  nonisolated let step: OpeningPlan.Step
  nonisolated let victim: Victim
  private let broker: BrokerNode
  private let scene: OpeningScene
  private let started = ContinuousClock.now
  private var run = ""
  private var customers: [String] = []
  private var killed: StepRun?
  private var problems: [String] = []

  /// So short that a death costs little. No other worker runs anything until the lease has passed.
  private static let lease = "5s"
  /// One that runs the step, and one that could.
  private static let workers = 2

  init(_ step: OpeningPlan.Step, _ victim: Victim, on broker: BrokerNode) async throws {
    (self.step, self.victim, self.broker) = (step, victim, broker)
    scene = try await OpeningScene(
      on: broker, lease: victim == .worker ? KillTrial.lease : TellerSystem.lease, waitingAt: step.name)
  }

  /// Whether the step ends while the victim is away: at every second rank, and where the victim dies by that end.
  private var endsMeanwhile: Bool {
    victim != .worker && (step.rank.isMultiple(of: 2) || victim.point != nil)
  }

  private func part(_ body: () async throws -> Void) async {
    guard problems.isEmpty else { return }
    do {
      try await body()
    } catch {
      problems.append("\(error)\n\(scene.system.logs)")
    }
  }

  // MARK: The parts

  /// Returns when the step runs.
  func begin() async {
    await part {
      try await scene.begin(workers: KillTrial.workers)
      for gate in OpeningPlan.gates { customers += try await scene.submit(OpeningChecker.customer, to: gate) }
      run = try await scene.open()
      killed = try await scene.hasBegun(step.name)
      let plan = try await scene.plan()
      if plan.phase != .running || plan.gates.count != OpeningPlan.gates.count || plan.gates.contains(where: \.isOpen) {
        problems.append("while the step ran, the plan was \(plan.phase) with the gates \(plan.gates)")
      }
    }
  }

  /// Kills the victim, unless that is the broker; returns when it is gone, and the step has ended where it does so
  /// meanwhile.
  func harm() async {
    await part {
      guard let killed else { return }
      switch victim {
      case .coordinator: try await scene.killCoordinator()
      case .worker: try await scene.killWorker(killed.pid)
      case .broker: break
      case .beforeRecord, .afterRecord: try await scene.endCoordinator()
      }
      guard endsMeanwhile else { return }
      try scene.system.openGate()
      try await scene.hasEnded(killed)
      if let point = victim.point { try await die(at: point, of: killed) }
    }
  }

  /// The first message that a coordinator reads, which dies there, is the report about the step.
  private func die(at point: String, of run: StepRun) async throws {
    try await eventually("the report waits", within: TellerSystem.limit) {
      (try await broker.queues(of: scene.system.brokerURL)["teller.reports.2"]?.ready ?? 0) > 0
    }
    try await scene.launchCoordinator(dyingAt: point).expectEnd(with: 128 + SIGKILL)
    guard let job = JobID(run.job), let state = try LedgerReading(scene.system.ledger).states(of: [job])[job] else {
      throw StageError(what: "the ledger has no job \(run.job)")
    }
    if (state >= LedgerState.succeeded) != (victim == .afterRecord) { problems.append("the job's state was \(state)") }
  }

  /// Starts the victim again, unless that is the broker.
  func heal() async {
    await part {
      switch victim {
      case .coordinator, .beforeRecord, .afterRecord: try await scene.startCoordinator()
      case .worker: try await scene.startWorker()
      case .broker: break
      }
      if !endsMeanwhile { try scene.system.openGate() }
    }
  }

  /// Waits for the end, and looks at everything.
  func end() async -> PlanRow {
    await part {
      _ = try await scene.system.outcomes(of: [run] + customers)
      try await scene.settle()
    }
    let took = ContinuousClock.now - started
    await part { try await compare() }
    let row = PlanRow(cells: await cells, took: took, problems: problems)
    try? await scene.close()
    return row
  }

  // MARK: The comparison

  private func compare() async throws {
    let plan = try await scene.plan()
    if plan.phase != .open || !plan.gates.allSatisfy(\.isOpen) {
      problems.append("the plan is \(plan.phase) with the gates \(plan.gates)")
    }
    let states = plan.steps.sorted { ($0.round, $0.rank) < ($1.round, $1.rank) }.map(KillTrial.text)
    let wanted = wantedStates
    if states != wanted { problems.append("the steps are \(states), not \(wanted)") }
    var finished: [String: Int64] = [:]
    for id in plan.steps.compactMap(\.job?.description) + customers {
      finished[id] = try await scene.job(id).finishedAt?.milliseconds
      if finished[id] == nil { problems.append("job \(id) has no end") }
    }
    let checker = OpeningChecker(runs: scene.runs, deaths: await scene.deaths, finished: finished)
    problems += checker.problems(order: OpeningPlan.order, customers: customers.count)
    if runsOfStep.count != wantedRuns { problems.append("\(runsOfStep.count) runs of the step, not \(wantedRuns)") }
  }

  private static func text(_ step: PlanDetails.Step) -> String {
    "\(step.name) \(step.round) \(step.state)\(step.error.map { " \($0.code)" } ?? "")"
  }

  /// By round and rank.
  private var wantedStates: [String] {
    let again = ["user information", "login"].map { "\($0) 2 succeeded" }
    return OpeningPlan.steps.map { step in
      switch step.name {
      case "login": "login 1 failed session_expired"
      case "full-screen banner": "\(step.name) 1 failed \(isLost ? "lost" : "no_picture")"
      default: "\(step.name) 1 succeeded"
      }
    } + again
  }

  /// What has one attempt, and whose worker dies, does not run again.
  private var isLost: Bool { victim == .worker && step.name == "full-screen banner" }

  private var wantedRuns: Int { victim == .worker && !isLost ? 2 : 1 }

  /// Of the job that ran when the victim died.
  private var runsOfStep: [StepRun] { scene.runs.filter { $0.job == killed?.job } }

  private var cells: [String] {
    get async {
      let deaths = await scene.deaths
      let runs = runsOfStep.map { run in
        let end = run.ended != nil ? "ended" : deaths[run.pid] != nil ? "cut off by the death of its worker" : "open"
        return "attempt \(run.attempt) \(end)"
      }
      let meanwhile = victim == .worker ? "—" : endsMeanwhile ? "while it was dead" : "after it was back"
      return ["\(step.rank) \(step.name)", victim.rawValue, meanwhile, "\(runs.count)", runs.joined(separator: ", ")]
    }
  }
}
