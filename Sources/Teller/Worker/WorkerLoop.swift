import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging

/// A release in the worker's hands. A class, and the loop's alone: it is looked up at every step of its job, and too large
/// to be copied each time.
final class JobInHand {
  /// Without its payload once it runs: the handler has it.
  var assignment: Assignment
  /// Why it cannot be run, whatever its handler; nil: it was read.
  let problem: String?
  /// Where its teller sits.
  let department: Department
  /// The delivery's token, then that of the granted claim.
  var token: Int
  /// When it came, or came for the first time if its connection was lost since.
  var heldSince = ContinuousClock.now
  /// When it may ask to be adopted again; nil: it has not asked yet.
  var asksAgainAt: ContinuousClock.Instant?
  /// How long it waited before it asked last.
  var askingPause: Duration = .zero
  /// Nil while it is claimed, or dropped.
  var run: RunControl?
  var startedAt: ContinuousClock.Instant?
  /// Once its handler is to end: ends when the handler has, or says that it is stuck.
  var grace: Task<Void, Never>?
  /// Those who watch have been told that it runs, or have not and never will.
  var isAnnounced = false

  init(assignment: Assignment, problem: String? = nil, department: Department, token: Int) {
    self.assignment = assignment
    self.problem = problem
    self.department = department
    self.token = token
  }
}

extension JobInHand {
  /// How long after its first question a job asks again to be adopted; then twice as long each time.
  static let firstAskingPause: Duration = .seconds(2)
  static let longestAskingPause: Duration = .seconds(120)

  /// Whether it has been in the worker's hands for long enough, and has not asked just now.
  func mayAskToBeAdopted(at now: ContinuousClock.Instant, after limit: Duration) -> Bool {
    heldSince <= now - limit && asksAgainAt.map { $0 <= now } ?? true
  }

  func asksToBeAdopted(at now: ContinuousClock.Instant) {
    askingPause = min(max(JobInHand.firstAskingPause, askingPause * 2), JobInHand.longestAskingPause)
    asksAgainAt = now + askingPause
  }
}

/// Why a worker's loop ends by itself.
enum WorkerEnd: Sendable {
  /// It was told to drain, and nothing is left.
  case drained
  /// It cannot go on.
  case failed(WorkerError)
}

/// Everything that decides what a worker does: it asks the tray, the tellers and the outbox, which are values, and acts
/// on what they say. What is read of the wire is handled here in its order, one thing at a time.
///
/// It never waits for a handler, and handlers never wait for it.
actor WorkerLoop {
  /// How often a worker announces itself, asks again what was not answered, and sends again what was refused.
  static let presenceInterval: Duration = .seconds(2)
  /// How long after its welcome a worker expects again what an earlier connection had delivered.
  static let returnLimit: Duration = .seconds(10)
  /// A job that is still running after this is announced to those who watch.
  static let startedAfter: Duration = .milliseconds(250)

  /// Of how many kinds without a handler it says so.
  static let missingKindsLimit = 100

  let worker = WorkerID()
  let registry: HandlerRegistry
  let timeouts: WorkerTimeouts
  let threads: HandlerThreads
  let finishedRuns = FinishedRuns()
  /// Where its parts show that they go on.
  let board = HealthBoard()
  let name: String
  let logger: Logger
  /// Raised when `end` is set.
  let ended = WorkerSignal()

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
  /// Whether it was welcomed on the present connection.
  var isWelcomed = false
  /// When it was, as long as deliveries of an earlier connection are expected again.
  var welcomedAt: ContinuousClock.Instant?
  /// Whether it has said so since it was last welcomed.
  var saidItWaits = false
  /// Kinds of jobs that came here without a handler, as far as that was logged.
  var missingKinds: Set<JobKind> = []
  /// Whether it has said on the present connection what it consumes.
  var saidItIsReady = false
  /// Deliveries of adopted jobs: acked when the consumers have been changed, since each ack brings another delivery.
  var adoptedTags: [UInt64] = []
  var isDraining = false
  /// What the end of a drain means.
  var endOfDrain = WorkerEnd.drained
  var end: WorkerEnd?
  /// Announces what runs; nil while nothing does.
  var watch: Task<Void, Never>?

  init(
    tellers: [Department: Int], registry: HandlerRegistry, timeouts: WorkerTimeouts, name: String, logger: Logger
  ) {
    self.tellers = Tellers(tellers)
    self.registry = registry
    self.timeouts = timeouts
    self.name = name
    self.logger = logger
    // What is out of range is refused before anything runs.
    threads = HandlerThreads(tellers: tellers.values.reduce(0) { $0 + min(max(0, $1), WorkerError.mostTellers) })
  }

  /// Serves on a new pair of connections, until it is lost or the task is cancelled; never returns otherwise. Calls
  /// `ready` when everything that it declares and consumes was granted.
  func serve(
    _ consuming: Connection, _ publishing: Connection, ready: @escaping @Sendable () -> Void
  ) async throws {
    let link = connected(consuming, publishing, ready)
    defer { disconnected(link) }
    // The control queue is consumed first: whatever the coordinator asks is in order with the deliveries behind it.
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
    // It asks to be welcomed, and lists what it has, before it consumes anything.
    link.presenceDue.raise()
    link.reportsDue.raise()
    link.staffingDue.raise()
    return link
  }

  /// What was delivered and is not started is the broker's again; what runs, runs on.
  private func disconnected(_ link: WorkerLink) {
    guard link.session == self.link?.session else { return }
    self.link = nil
    isWelcomed = false
    welcomedAt = nil
    saidItIsReady = false
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
      sayIfItWaits()
      takeFinishedRuns()
      tellAgain()
      expectNothingAgainAfterAWhile()
      link.presenceDue.raise()
      link.reportsDue.raise()
      // What has ended since may have made room to consume more.
      link.staffingDue.raise()
    }
  }

  /// The broker hands out again first what it took back. What has not come by now is in another worker's hands, or is
  /// gone: other jobs must not wait here for its teller while other workers have some that are free.
  private func expectNothingAgainAfterAWhile() {
    guard let welcomedAt, welcomedAt.duration(to: .now) >= WorkerLoop.returnLimit else { return }
    self.welcomedAt = nil
    tellers.expectNothingAgain()
  }

  /// One of the coordinator's exchanges or a department's queue does not exist.
  ///
  /// - Parameter text: the broker's own, which names it.
  func sayThatNothingIsDeclared(_ text: String) {
    guard !saidItWaits else { return }
    saidItWaits = true
    logger.notice(
      """
      the broker lacks what a coordinator declares (\(text)): no coordinator has run there yet, or one of an \
      earlier version, which is to be updated first, or it was deleted; waiting for a coordinator to declare it
      """)
  }

  private func sayIfItWaits() {
    guard !isWelcomed, !saidItWaits else { return }
    saidItWaits = true
    logger.notice("waiting for the coordinator's welcome; start `teller coordinator` if it does not run")
  }

  /// Takes a release out of the books, and its teller is free.
  func letGo(_ release: ReleaseID, of job: JobInHand) {
    jobs[release] = nil
    // Where some are still consumed for, the next tick is soon enough.
    if tellers.free(release, in: job.department) { link?.staffingDue.raise() }
  }

  func fail(_ error: WorkerError) {
    guard end == nil else { return }
    end = .failed(error)
    ended.raise()
  }
}
