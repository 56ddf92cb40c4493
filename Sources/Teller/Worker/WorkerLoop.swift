import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging
import Metrics

/// A release in the worker's hands. A class, and the loop's alone: too large to be copied at every step of its job.
final class JobInHand {
  /// Without its payload once the job runs: the handler has the payload. A granted claim gives it another token and attempt.
  var assignment: Assignment
  /// Why the assignment cannot be run; nil: it was read.
  let problem: String?
  /// The department of its teller.
  let department: Department
  /// When the release was delivered first, perhaps on an earlier connection.
  var heldSince = ContinuousClock.now
  /// When the worker may ask again to have the job adopted; nil: the worker has not asked yet.
  var asksAgainAt: ContinuousClock.Instant?
  /// The pause before the last question.
  var askingPause: Duration = .zero
  /// Nil while the release is claimed or dropped.
  var run: RunControl?
  var startedAt: ContinuousClock.Instant?
  /// Runs once the handler is to end, until the handler has ended or is reported as stuck.
  var grace: Task<Void, Never>?
  /// Whether the watches need not be told that the job runs: they were told, or the job has ended.
  var isAnnounced = false

  init(assignment: Assignment, problem: String? = nil, department: Department) {
    self.assignment = assignment
    self.problem = problem
    self.department = department
  }
}

extension JobInHand {
  /// The pause after a job's first question to be adopted; each further pause is twice as long.
  static let firstAskingPause: Duration = .seconds(2)
  static let longestAskingPause: Duration = .seconds(120)

  /// Whether the release has been in the worker's hands for long enough, and has not asked a moment ago.
  func mayAskToBeAdopted(at now: ContinuousClock.Instant, after limit: Duration) -> Bool {
    heldSince <= now - limit && asksAgainAt.map { $0 <= now } ?? true
  }

  func asksToBeAdopted(at now: ContinuousClock.Instant) {
    askingPause = min(max(JobInHand.firstAskingPause, askingPause * 2), JobInHand.longestAskingPause)
    asksAgainAt = now + askingPause
  }
}

/// Why a worker ends by itself.
enum WorkerEnd: Sendable {
  /// The worker was told to drain, and nothing is left.
  case drained
  /// The worker cannot go on.
  case failed(WorkerError)
  /// A second signal came: nothing is waited for.
  case secondSignal
}

/// The loop of a worker. The tray, the tellers and the outbox are values that decide; the loop carries their decisions out.
/// It handles deliveries one at a time, in the order of the wire.
///
/// The loop never waits for a handler, and handlers never wait for the loop.
actor WorkerLoop {
  /// How often a worker sends its presence, and publishes again claims, notices and refused reports.
  static let presenceInterval: Duration = .seconds(2)
  /// How long after its welcome a worker expects that the deliveries of an earlier connection come again.
  static let redeliveryLimit: Duration = .seconds(10)
  /// A job that still runs after this is announced to the watches.
  static let startedAfter: Duration = .milliseconds(250)

  /// How many kinds without a handler are logged at most.
  static let missingKindsLimit = 100

  let worker = WorkerID()
  let timeouts: WorkerTimeouts
  let threads: DepartmentThreads
  let finishedRuns = FinishedRuns()
  /// The signs of life of the worker's parts.
  let board = HealthBoard()
  let name: String
  let logger: Logger
  /// Raised when `end` is set.
  let ended = WorkerSignal()

  /// The user's handlers; they do not change once the worker runs.
  private(set) var registry = HandlerRegistry()
  /// Nil: nobody traces.
  private(set) var tracing: JobTracing?
  /// Nil: nobody measures.
  private(set) var metrics: WorkerMetrics?
  /// How long the coordinator's file lets jobs wait between attempts, by kind.
  var retries: [JobKind: RetrySettings] = [:]
  var tray = Tray()
  var tellers: Tellers
  var jobs: [ReleaseID: JobInHand] = [:]
  var outbox = ReportOutbox()

  var session = 0
  var link: WorkerLink?
  /// The ledger that welcomed this worker last.
  var ledger: LedgerID?
  /// The ledger's epoch at that time.
  var epoch: Int?
  /// Whether the worker was welcomed on the present connection.
  var isWelcomed = false
  /// When the worker was welcomed, as long as deliveries of an earlier connection are expected again.
  var welcomedAt: ContinuousClock.Instant?
  /// Whether the worker has logged since its last welcome that it waits for one.
  var hasLoggedWaiting = false
  /// The kinds without a handler that were logged.
  var missingKinds: Set<JobKind> = []
  /// Whether the worker has logged on the present connection that it is ready.
  var hasLoggedReady = false
  /// The deliveries of adopted jobs. They are acked after the consumers were changed: each ack brings another delivery.
  var adoptedTags: [UInt64] = []
  var isDraining = false
  /// What the end of a drain means.
  var endOfDrain = WorkerEnd.drained
  var end: WorkerEnd?
  /// Announces running jobs; nil while no job runs.
  var watch: Task<Void, Never>?

  init(
    tellers: [Department: Int], timeouts: WorkerTimeouts, name: String, logger: Logger
  ) {
    self.tellers = Tellers(tellers)
    self.timeouts = timeouts
    self.name = name
    self.logger = logger
    threads = DepartmentThreads(tellers)
  }

  /// Takes the handlers over, before the worker serves.
  func begin(with registry: HandlerRegistry) {
    self.registry = registry
    tracing = JobTracing()
    if !(MetricsSystem.factory is NOOPMetricsHandler) { metrics = WorkerMetrics() }
  }

  /// Shows how the worker stands, for its metrics.
  func showMetrics(_ broker: BrokerState) {
    guard let metrics else { return }
    metrics.show(broker)
    metrics.show(unconfirmedReports: outbox.unconfirmed)
    for (department, count) in tellers.counts { metrics.show(tellers: count, of: department) }
  }

  /// Serves on a new pair of connections, until the pair is lost or the task is cancelled; never returns otherwise. For
  /// `ready` see ``WorkerLink/ready``.
  func serve(
    _ consuming: Connection, _ publishing: Connection, ready: @escaping @Sendable () -> Void
  ) async throws {
    let link = connected(consuming, publishing, ready)
    defer { disconnected(link) }
    // The control queue is consumed first: so a probe is read in order with the deliveries behind it.
    let queue = try await Topology.declareWorkerQueue(
      worker, session: link.session, departments: tellers.departments, on: consuming)
    let options = ConsumeOptions(prefetch: WorkerLink.controlPrefetch, consumerTag: WorkerLink.controlTag)
    _ = try await consuming.consume(queue, options: options, into: link.inbox)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await self.read(link) }
      group.addTask { try await self.announce(link) }
      group.addTask { try await self.publishReports(link) }
      group.addTask { try await self.staff(link) }
      group.addTask { await self.tick(link) }
    }
  }

  private func connected(
    _ consuming: Connection, _ publishing: Connection, _ ready: @escaping @Sendable () -> Void
  ) -> WorkerLink {
    session += 1
    let link = WorkerLink(session: session, consuming: consuming, publishing: publishing, ready: ready)
    self.link = link
    // The first presence asks for the welcome, and lists what the worker has, before it consumes anything.
    link.presenceDue.raise()
    link.reportsDue.raise()
    link.staffingDue.raise()
    return link
  }

  /// Lets go of every delivery that is not started: the broker will deliver it again. A running job runs on.
  private func disconnected(_ link: WorkerLink) {
    guard link.session == self.link?.session else { return }
    self.link = nil
    isWelcomed = false
    welcomedAt = nil
    hasLoggedReady = false
    adoptedTags = []
    tray.disconnected()
    outbox.disconnected()
    tellers.disconnected()
    for (release, job) in jobs where job.run == nil { letGo(release, of: job) }
    endIfDrained()
  }

  private func tick(_ link: WorkerLink) async {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.presenceInterval, clock: .continuous) {
      board.renew(WorkerPart.tick)
      logWaiting()
      takeFinishedRuns()
      publishAgain()
      giveUpLateRedeliveries()
      link.presenceDue.raise()
      link.reportsDue.raise()
      // A job that has ended since may have made room to consume more.
      link.staffingDue.raise()
    }
  }

  /// Expects the deliveries of an earlier connection no longer. The broker delivers them first: a release that has not come
  /// by now is in another worker's hands, or is gone. Other jobs must not wait here for its teller.
  private func giveUpLateRedeliveries() {
    guard let welcomedAt, welcomedAt.duration(to: .now) >= WorkerLoop.redeliveryLimit else { return }
    self.welcomedAt = nil
    tellers.giveUpRedeliveries()
  }

  /// Logs that one of the coordinator's exchanges, or a department's queue, does not exist.
  ///
  /// - Parameter text: the broker's own text, which names it.
  func logMissingTopology(_ text: String) {
    guard !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    logger.notice(
      """
      the broker lacks what a coordinator declares (\(text)): no coordinator has run there yet, or one of an \
      earlier version, which is to be updated first, or it was deleted; waiting for a coordinator to declare it
      """)
  }

  private func logWaiting() {
    guard !isWelcomed, !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    logger.notice("waiting for the coordinator's welcome; start `teller coordinator` if it does not run")
  }

  /// Forgets a release, and frees its teller.
  func letGo(_ release: ReleaseID, of job: JobInHand) {
    jobs[release] = nil
    // Where every queue has a consumer, the next tick is soon enough.
    if tellers.free(release, in: job.department) { link?.staffingDue.raise() }
  }

  func fail(_ error: WorkerError) {
    guard end == nil else { return }
    end = .failed(error)
    ended.raise()
  }
}
