import AMQP
import AsyncAlgorithms
import Decisions
import Hosting
import JobModel
import JobTransport
import Logging
import Metrics

/// The loop of a worker. The tray, the tellers and the outbox are values that decide; the loop carries their decisions out.
/// It handles deliveries one at a time, in the order of the wire.
///
/// The loop never waits for a handler, and handlers never wait for the loop; but one that has waited for another job waits
/// for its teller.
actor WorkerLoop {
  /// How often a worker sends its presence, and publishes again claims, notices and refused reports.
  static let presenceInterval: Duration = .seconds(2)
  /// How long after its welcome a worker expects that the deliveries of an earlier connection come again.
  static let redeliveryLimit: Duration = .seconds(10)
  /// How long a job that was taken ahead waits here for a teller, before it is given back: another worker may have a free
  /// one. For as long again none is taken ahead. It is far less than the time after which a broker takes a consumer for dead.
  static let waitingLimit: Duration = .seconds(10)
  /// A job that still runs after this is announced to the watches.
  static let startedAfter: Duration = .milliseconds(100)

  /// How many kinds without a handler are logged at most.
  static let missingKindsLimit = 100

  let worker = WorkerID()
  let timeouts: WorkerTimeouts
  let threads: DepartmentThreads
  let finishedRuns = FinishedRuns()
  let progress = ProgressBoard()
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
  /// Nil: there is no service.
  private(set) var services: HostedServices?
  /// How long the coordinator's file lets jobs wait between attempts, by kind.
  var retries: [JobKind: RetrySettings] = [:]
  var tray = Tray()
  var tellers: Tellers
  var jobs: [ReleaseID: JobInHand] = [:]
  var outbox = ReportOutbox()
  /// The queues that the broker refuses.
  var refused = RefusedQueues()
  var early = EarlyReports()

  var session = 0
  var link: WorkerLink?
  /// The ledger that welcomed this worker last.
  var ledger: LedgerID?
  /// The ledger's epoch at that time.
  var epoch: Int?
  /// The ledger's time, from the last welcome; nil: the welcome did not say it.
  var ledgerTime: CoordinatorTime?
  /// From when the worker counts the time that its presences say.
  let beganAt = ContinuousClock.now
  /// Whether the worker was welcomed on the present connection.
  var isWelcomed = false
  /// When the worker was welcomed, as long as deliveries of an earlier connection are expected again.
  var welcomedAt: ContinuousClock.Instant?
  /// When the worker last worked: see ``noteSilence()``.
  var workedAt = ContinuousClock.now
  /// On the present connection, how many pulses this worker has sent itself, has heard, and hears before it believes again
  /// that a delivery is new.
  var pulses = (sent: 0, heard: 0, awaited: 0)
  /// Whether the worker has logged since its last welcome that it waits for one.
  var hasLoggedWaiting = false
  /// The kinds without a handler that were logged.
  var missingKinds: Set<JobKind> = []
  /// Whether the worker has logged on the present connection that it is ready.
  var hasLoggedReady = false
  /// The departments for whose handlers no thread could be started.
  var starved: Set<Department> = []
  /// The deliveries of adopted jobs, and second messages of what was taken ahead. They are acked after the consumers were
  /// changed: each ack brings another delivery.
  var tagsToAck: [UInt64] = []
  /// When the drain is over, unless it ends by itself before; nil: the worker does not drain.
  var drainsUntil: ContinuousClock.Instant?
  var isDraining: Bool { drainsUntil != nil }
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

  /// Takes the handlers and the services over, before the worker serves.
  func begin(with registry: HandlerRegistry, _ services: HostedServices?) {
    self.registry = registry
    self.services = services
    if isDraining { services?.drain() }
    tracing = JobTracing()
    if !(MetricsSystem.factory is NOOPMetricsHandler) { metrics = WorkerMetrics() }
  }

  /// Tells the services whether the worker takes jobs: it is welcomed, and not all departments are paused. Before the
  /// first job of a connection.
  func showWhetherOpen() { services?.show(isOpen: isWelcomed && tellers.areAnyAtWork) }

  /// Forgets a release, and frees its teller.
  func letGo(_ release: ReleaseID, of job: JobInHand) {
    jobs[release] = nil
    // Where every queue has a consumer, the next tick is soon enough.
    if tellers.free(release, in: job.department) { link?.staffingDue.raise() }
    giveTellersBack(in: job.department)
  }

  /// Gives free tellers to the handlers that want theirs back.
  func giveTellersBack(in department: Department) {
    while let release = tellers.nextReturned(in: department) {
      jobs[release]?.waits?.teller?.fulfil()
      jobs[release]?.waits?.teller = nil
    }
  }

  func fail(_ error: WorkerError) {
    guard end == nil else { return }
    end = .failed(error)
    ended.raise()
  }
}
