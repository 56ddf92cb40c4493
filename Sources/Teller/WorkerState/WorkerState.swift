import AMQP
import Decisions
package import JobModel
import JobTransport

/// What a worker knows, and what it decides: which deliveries it starts, claims, gives back or drops, what it reports, and
/// which consumers it has. A pure value: events go in, with the time at which they happen, and actions come out.
///
///     events ─▶ WorkerState ─▶ actions ─▶ WorkerLoop: broker, handlers, log
///
/// Beside the events there are three questions, each asked when the worker can act on the answer: the next step about the
/// consumers (``nextStep()``), the next batch of reports (``nextBatch(at:)``), and the presence (``presence(isGoodbye:stuck:at:)``).
package struct WorkerState: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package let worker: WorkerID
  let timeouts: WorkerTimeouts
  let name: String
  /// From when the worker counts the time that its presences say.
  let beganAt: Instant
  /// The kinds that the worker has handlers for, and how each is tried; they do not change once the worker runs.
  package var policies: [JobKind: KindPolicies] = [:]
  /// How long the coordinator's file lets jobs wait between attempts, by kind.
  var retries: [JobKind: RetrySettings] = [:]
  var tray = Tray()
  var tellers: Tellers
  var jobs: [ReleaseID: JobInHand] = [:]
  var outbox = ReportOutbox()
  /// The queues that the broker refuses.
  var refused = RefusedQueues()
  var early = EarlyReports()

  /// Counts the pairs of connections.
  package internal(set) var session = 0
  package internal(set) var isConnected = false
  /// The ledger that welcomed this worker last.
  var ledger: LedgerID?
  /// The ledger's epoch at that time.
  var epoch: Int?
  /// The ledger's time, from the last welcome; nil: the welcome did not say it.
  var ledgerTime: CoordinatorTime?
  /// When the coordinator's session began, by the ledger's clock, as far as a probe has said it; nil: none has.
  var sessionBegan: Timestamp?
  /// Whether the worker was welcomed on the present connection.
  package internal(set) var isWelcomed = false
  /// When the worker was welcomed, as long as deliveries of an earlier connection are expected again.
  var welcomedAt: Instant?
  /// When the worker last worked: see ``noteSilence(at:)``.
  var workedAt: Instant
  var pulses = Pulses()
  /// The number of the last pulse.
  package var pulsesSent: Int { pulses.sent }
  /// How long the coordinator waits for a worker that it does not hear; nil: no welcome has said it.
  var lease: Duration?
  /// Whether the worker has logged since its last welcome that it waits for one.
  var hasLoggedWaiting = false
  /// The kinds without a handler that were logged.
  var missingKinds: Set<JobKind> = []
  /// Whether the worker has logged on the present connection that it is ready.
  var hasLoggedReady = false
  /// The deliveries of adopted jobs, and second messages of what was taken ahead. They are acked after the consumers were
  /// changed: each ack brings another delivery.
  var tagsToAck: [UInt64] = []
  /// When the drain is over, unless it ends by itself before; nil: the worker does not drain.
  var drainsUntil: Instant?
  package var isDraining: Bool { drainsUntil != nil }
  /// The latest that it can be by the ledger's clock; nil: no welcome has said it.
  package func latestLedgerTime(at now: Instant) -> Timestamp? { ledgerTime?.latest(at: now - beganAt) }
  /// What the end of a drain means.
  var endOfDrain = WorkerEnd.drained
  package internal(set) var end: WorkerEnd?
  /// What the present event has caused so far.
  private var actions: [WorkerAction] = []

  package init(
    _ worker: WorkerID, tellers: [Department: Int], timeouts: WorkerTimeouts = WorkerTimeouts(), name: String,
    at now: Instant
  ) {
    self.worker = worker
    self.tellers = Tellers(tellers)
    self.timeouts = timeouts
    self.name = name
    (beganAt, workedAt) = (now, now)
  }

  /// Takes in what has happened.
  ///
  /// - Returns: what is to be done, in this order.
  package mutating func handle(_ event: WorkerEvent, at now: Instant) -> [WorkerAction] {
    switch event {
    case .connected: connected(at: now)
    case .disconnected: disconnected()
    case .delivered(let delivery): receive(delivery, at: now)
    case .ticked: tick(at: now)
    case .consuming(let tag, let department): noteBegin(ofConsumer: tag, in: department, at: now)
    case .refused(let queue, let error): noteRefusal(of: queue, error, at: now)
    case .stillRefused(let queue): refused.noteStillRefused(queue, at: now - beganAt)
    case .accepted(let queue): accepted(queue, at: now)
    case .cancelled(let tag): cancelled(tag)
    case .staffed(let wasWelcomed): if wasWelcomed, isWelcomed { logReady() }
    case .finished(let runs): for run in runs { finish(run, at: now) }
    case .published(let batch, let results): published(batch, results, at: now)
    case .unpublished(let batch): unpublished(batch)
    case .sentEarly(let batch): early.begin(batch)
    case .endedEarly(let isRecorded): endedEarly(isRecorded: isRecorded, at: now)
    case .timeLimitPassed(let release, let limit): cancelRun(release, .timeout(limit))
    case .stuck(let release, let reason): noteStuck(release, reason)
    case .wantsTellerBack(let release): takeTellerBack(of: release)
    case .goesOnWithoutTeller(let release): goOnWithoutTeller(release)
    case .sentPulse: pulses.send(at: now)
    case .topologyIsMissing(let text): logMissingTopology(text)
    case .drain: drain(at: now)
    }
    endIfDrained()
    return takeActions()
  }

  mutating func act(_ action: WorkerAction) { actions.append(action) }

  mutating func takeActions() -> [WorkerAction] {
    defer { actions = [] }
    return actions
  }

  /// Does something whose acks go out once the consumers have been changed: each ack brings another delivery.
  mutating func ackingLater(_ body: (inout WorkerState) -> Void) {
    let earlier = actions
    actions = []
    body(&self)
    let tags = actions.compactMap { if case .ack(let tag) = $0 { tag } else { nil } }
    actions = earlier + actions.filter { if case .ack = $0 { false } else { true } }
    guard !tags.isEmpty else { return }
    tagsToAck += tags
    act(.due(.staffing))
  }

  /// Tells the services whether the worker takes jobs: it is welcomed, and not all departments are paused. Before the first
  /// job of a connection.
  mutating func showWhetherOpen() { act(.show(isOpen: isWelcomed && tellers.areAnyAtWork)) }

  /// How many runs have not been reported.
  var unfinished: Int { jobs.values.count(where: \.hasRun) }

  /// Forgets a release, and frees its teller.
  mutating func letGo(_ release: ReleaseID, in department: Department) {
    jobs[release] = nil
    // Where every queue has a consumer, the next tick is soon enough.
    if tellers.free(release, in: department) { act(.due(.staffing)) }
    giveTellersBack(in: department)
  }

  /// Gives free tellers to the handlers that want theirs back.
  mutating func giveTellersBack(in department: Department) {
    while let release = tellers.nextReturned(in: department) { act(.returnTeller(release)) }
  }

  mutating func fail(_ error: WorkerError) {
    if end == nil { end(.failed(error)) }
  }

  mutating func end(_ end: WorkerEnd) {
    self.end = end
    act(.end)
  }
}
