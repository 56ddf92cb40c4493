import AuditSupport
import ClientSupport
import Foundation
import JobModel
import Logging
import SystemSupport
import Teller
import TestSupport

/// One event that comes in one state of the plan, and a coordinator that dies then.
actor EventTrial {
  private nonisolated let trial: EventCase
  private let scene: OpeningScene
  /// Who sends the event, and who sends it again, as a link inside a push does.
  private let phone: TellerClient
  private let link: TellerClient
  private let event = JobID()
  private let started = ContinuousClock.now
  private var problems: [String] = []
  private var notes: [String] = []

  private static let workers = 1

  static func play(_ trial: EventCase, on broker: BrokerNode) async throws -> PlanRow {
    let scene = try await OpeningScene(on: broker, waitingAt: trial.state.waiting)
    try await scene.begin(workers: workers)
    let phone = try await client("phone", of: scene)
    let link = try await client("link", of: scene)
    return await EventTrial(trial, scene, phone, link).play()
  }

  private static func client(_ name: String, of scene: OpeningScene) async throws -> TellerClient {
    try await TellerClient.connect(
      TellerConfiguration(broker: scene.system.brokerURL), name: name, timeouts: .patient,
      logger: Logger(label: name, factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  private init(_ trial: EventCase, _ scene: OpeningScene, _ phone: TellerClient, _ link: TellerClient) {
    (self.trial, self.scene, self.phone, self.link) = (trial, scene, phone, link)
  }

  private func play() async -> PlanRow {
    do {
      try await prepare()
      try await sendTwice()
      try await look()
      try await goOn()
      try await scene.settle()
      try await compare()
    } catch {
      problems.append("\(error)\n\(scene.system.logs)")
    }
    let runs = begun
    let took = ContinuousClock.now - started
    await phone.close()
    await link.close()
    try? await scene.close()
    let cells = [
      trial.state.rawValue, trial.killing.rawValue, notes.joined(separator: ", "), "\(runs)", trial.state.place,
    ]
    return PlanRow(cells: cells, took: took, problems: problems)
  }

  /// How often the event's handler has begun.
  private var begun: Int { scene.runs.count { $0.job == event.description } }

  // MARK: Until the event has come

  private func prepare() async throws {
    switch trial.state {
    case .notStarted: break
    case .beforeRank, .afterRank:
      try await scene.open()
      _ = try await scene.hasBegun(trial.state.waiting ?? "")
    case .openRun, .openAnnounce: try await openToItsEnd()
    case .openPaused:
      try await openToItsEnd()
      _ = try await phone.pause("init")
    case .failed: try await openToItsEnd(payload: OpeningPlan.failing, .failed)
    }
  }

  private func openToItsEnd(payload: String? = nil, _ end: JobState = .succeeded) async throws {
    let run = try await scene.open(payload: payload)
    let state = try await scene.system.outcomes(of: [run])[run]
    if state != end.rawValue { throw StageError(what: "the plan has \(state ?? "no end")") }
  }

  private func sendTwice() async throws {
    let handle = try await whileKilling {
      try await self.phone.send(self.trial.state.event, id: self.event)
    } reply: {
      try await $0.accepted()
    }
    try await link.send(trial.state.event, id: event).accepted()
    try await handle.accepted()
  }

  /// Does something that the coordinator is asked for, and has it die as the case says; another one serves then. The body
  /// may end only with the reply, of which there may be none until then.
  private func whileKilling<Sent: Sendable>(
    _ body: @escaping @Sendable () async throws -> Sent, reply: (Sent) async throws -> Void
  ) async throws -> Sent {
    guard let point = trial.killing.point else {
      let sent = try await body()
      try await reply(sent)
      try await scene.killCoordinator()
      try await scene.startCoordinator()
      return sent
    }
    let doomed = try await scene.replaceCoordinator(dyingAt: point)
    async let sent = body()
    try await doomed.expectEnd(with: 128 + SIGKILL)
    try await scene.startCoordinator()
    return try await sent
  }

  /// Compares the state of the event after it has come twice.
  private func look() async throws {
    let state = try await scene.event(event).state
    notes.append("\(state)")
    if state != trial.state.atFirst { problems.append("the event is \(state), not \(trial.state.atFirst)") }
    let begun = begun
    if begun != 0, !trial.state.runsAtOnce { problems.append("the handler has begun \(begun) times too early") }
    // It is one event, however often it has come.
    let waiting = try await scene.plan().waitingEvents
    if waiting != (state == .acted ? 0 : 1) { problems.append("\(waiting) events wait") }
    guard trial.state == .openPaused else { return }
    let job = try await scene.job(event.description)
    if job.state != .held || job.hold != .paused {
      problems.append("the event's job is \(job.state), held for \(job.hold?.rawValue ?? "nothing")")
    }
  }

  // MARK: From then on

  private func goOn() async throws {
    switch trial.state {
    case .notStarted, .failed: try await openToItsEnd()
    case .beforeRank, .afterRank: try scene.system.openGate()
    case .openRun: break
    case .openAnnounce: try await acceptTwice()
    case .openPaused: _ = try await phone.resume("init")
    }
    let state = try await scene.system.outcomes(of: [event.description])[event.description]
    if state != JobState.succeeded.rawValue { problems.append("the event's job has \(state ?? "no outcome")") }
  }

  /// Two accept at the same time while the coordinator dies, and once more when another one serves.
  private func acceptTwice() async throws {
    let (phone, link, event) = (phone, link, event)
    let accept: @Sendable () async throws -> [Bool] = {
      async let first = phone.acceptEvent(event)
      async let second = link.acceptEvent(event)
      return try await [first, second]
    }
    let first = try await whileKilling(accept, reply: { _ in })
    let second = try await accept()
    let decided = (first + second).count { $0 }
    notes.append("accepted 4 times, of which \(decided) decided")
    // Whoever decided may not hear it: the coordinator has died, and its successor knows only that it was decided.
    if decided > 1 || second.contains(true) { problems.append("\(first) and then \(second) decided about the event") }
    if trial.killing == .afterReply, decided != 1 { problems.append("\(decided) have decided") }
  }

  private func compare() async throws {
    if begun != 1 { problems.append("the handler has begun \(begun) times") }
    let state = try await scene.event(event).state
    notes.append("\(state)")
    if state != .acted { problems.append("the event is \(state) at the end") }
    let plan = try await scene.plan()
    let jobs = plan.steps.filter(\.isEvent).map(\.job)
    if plan.phase != .open || jobs != [event] || plan.waitingEvents != 0 {
      problems.append("the plan is \(plan.phase), with the events \(jobs), and \(plan.waitingEvents) wait")
    }
    problems += OpeningChecker(runs: scene.runs).problems(order: trial.state.order)
  }
}
