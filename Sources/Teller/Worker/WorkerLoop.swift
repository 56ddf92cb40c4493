import AMQP
import AsyncAlgorithms
import Hosting
import JobModel
import JobTransport
import Logging
import Metrics

/// The loop of a worker. ``WorkerState`` decides; the loop hands it what happens, and carries out what it decides: with the
/// broker, the handlers, the services and the log. It handles deliveries one at a time, in the order of the wire.
///
/// The loop never waits for a handler, and handlers never wait for the loop; but one that has waited for another job waits
/// for its teller.
actor WorkerLoop {
  /// How often a worker sends its presence, and publishes again claims, notices and refused reports.
  static let presenceInterval: Duration = .seconds(2)

  let timeouts: WorkerTimeouts
  let threads: DepartmentThreads
  let finishedRuns = FinishedRuns()
  let progress = ProgressBoard()
  /// The signs of life of the worker's parts.
  let board = HealthBoard()
  let logger: Logger
  /// Raised when the state has an end.
  let ended = WorkerSignal()

  /// The user's handlers; they do not change once the worker runs.
  private(set) var registry = HandlerRegistry()
  /// Nil: nobody traces.
  private(set) var tracing: JobTracing?
  /// Nil: nobody measures.
  private(set) var metrics: WorkerMetrics?
  /// Nil: there is no service.
  private(set) var services: HostedServices?
  var state: WorkerState
  /// The handlers that have begun and have not been taken in as finished.
  var runs: [ReleaseID: RunningHandler] = [:]
  var link: WorkerLink?
  /// The answer to the reports that went to the early queue; nil: none did.
  var earlyAnswer: OneShot<Bool>?
  /// The departments for whose handlers no thread could be started.
  var starved: Set<Department> = []
  /// Announces running jobs; nil while no job runs.
  var watch: Task<Void, Never>?

  var worker: WorkerID { state.worker }

  init(
    tellers: [Department: Int], timeouts: WorkerTimeouts, name: String, logger: Logger
  ) {
    state = WorkerState(WorkerID(), tellers: tellers, timeouts: timeouts, name: name, at: .now)
    self.timeouts = timeouts
    self.logger = logger
    threads = DepartmentThreads(tellers)
  }

  /// Takes the handlers and the services over, before the worker serves.
  func begin(with registry: HandlerRegistry, _ services: HostedServices?) {
    self.registry = registry
    state.policies = registry.handlers.mapValues(\.policies)
    self.services = services
    if state.isDraining { services?.drain() }
    tracing = JobTracing()
    if !(MetricsSystem.factory is NOOPMetricsHandler) { metrics = WorkerMetrics() }
  }
}

// What happens, and what follows.
extension WorkerLoop {
  /// What is left of actions: what goes to the broker, and the end of the worker behind that.
  struct Rest {
    var acknowledgements = Acknowledgements()
    var hasEnded = false
  }

  /// Handles an event that causes no acks: only deliveries and the broker's results do.
  func take(_ event: WorkerEvent) {
    var rest = Rest()
    take(event, &rest)
    if rest.hasEnded { ended.raise() }
  }

  func take(_ event: WorkerEvent, _ rest: inout Rest) {
    carryOut(state.handle(event, at: .now), &rest)
  }

  /// Sends the acks on the connection of the deliveries. Only then may the worker end.
  func settle(_ rest: Rest, on connection: Connection?) async throws {
    defer { if rest.hasEnded { ended.raise() } }
    if let connection { try await rest.acknowledgements.send(on: connection) }
  }

  func carryOut(_ actions: [WorkerAction], _ rest: inout Rest) {
    for action in actions {
      switch action {
      case .ack(let tag): rest.acknowledgements.acks.append(tag)
      case .requeue(let tag): rest.acknowledgements.returns.append(tag)
      case .reject(let tag): rest.acknowledgements.rejects.append(tag)
      case .end: rest.hasEnded = true
      default: carryOut(action)
      }
    }
  }

  private func carryOut(_ action: WorkerAction) {
    switch action {
    case .ack, .requeue, .reject, .end: break
    case .start(let start): self.start(start)
    case .cancel(let release, let reason): cancelRun(release, reason)
    case .due(.presence): link?.presenceDue.raise()
    case .due(.reports): link?.reportsDue.raise()
    case .due(.staffing): link?.staffingDue.raise()
    case .takeRuns(let worthwhile): finishedRuns.signal(at: worthwhile)
    case .recordedEarly: earlyAnswer?.fulfil(.success(true))
    case .returnTeller(let release): returnTeller(to: release)
    case .endWaits: endWaits()
    case .sendProgressAgain: progress.putAllBack()
    case .heard: board.renew(WorkerPart.hearing)
    case .show(let isOpen): services?.show(isOpen: isOpen)
    case .staff(let tellers): threads.grow(tellers)
    case .beginDrain: services?.drain()
    case .ready: link?.ready()
    case .log(let level, let text, let metadata): logger.log(level: level, "\(text)", metadata: metadata)
    }
  }
}
