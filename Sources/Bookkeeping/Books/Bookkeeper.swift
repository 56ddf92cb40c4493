package import Decisions
package import JobModel
package import JobTransport
package import Ledger
package import Logging
package import Metrics
import Synchronization

/// Writes the ledger: decides in memory and records in the same turn, so that neither is ever ahead of the other. The
/// bookkeeper only carries out turns: the steps (``Steps``) say what happens in a turn, and the parts (``Parts``) hold
/// what is known.
///
/// A turn that could not be recorded leaves the memory ahead of the ledger. Then the session ends, and the next session
/// begins with ``reload()``.
package actor Bookkeeper {
  package nonisolated let ledger: Ledger
  /// The settings of the present turn.
  package private(set) var configuration: CoordinatorConfiguration
  package nonisolated let logger: Logger
  /// Where the steps show that they go on.
  package nonisolated let board: HealthBoard
  /// Of the configuration.
  private var notify: NotifySettings
  /// By the configuration.
  private var namedKinds: Set<JobKind>
  let parts: Parts
  private(set) var steps: Steps
  let metrics: BooksMetrics
  /// The signals of the present session.
  private(set) var signals = SessionSignals()
  /// What turns cause outside, until they are safe.
  private(set) var effects = HeldEffects()
  private(set) var safetyWaiters = SafetyWaiters()
  private let ship: Ship?
  private let watch: Watch?
  /// Why a turn could not be recorded: until ``reload()`` the memory knows what the ledger does not.
  private var failure: LedgerError?
  let confirms = ReleaseConfirms()
  /// Whether a turn has left windows that it could have filled. Stored before the effects of the turn leave.
  let isUnfilled = Atomic(false)
  private let executor: WriterExecutor

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Takes the writes of each turn, in order, and has them recorded elsewhere, too. Then the turn is safe:
  /// ``turnsAreSafe(upTo:)`` is to be called.
  package typealias Ship = @Sendable (ChangeSet) -> Void

  /// Is told each change of a job's state when its turn is safe, in order, on the thread of the bookkeeper: it must not
  /// block. What ``reload()`` changes is not told: a job that ran is queued until its worker is heard again.
  package typealias Watch = @Sendable ([JobChange]) -> Void

  /// Without `ship` a turn is safe when it is recorded on the disk of the ledger. `metrics` makes what counts the turns.
  package init(
    ledger: Ledger, configuration: CoordinatorConfiguration, logger: Logger, board: HealthBoard = HealthBoard(),
    metrics: any MetricsFactory = MetricsSystem.factory, clock: MachineClock, chance: Chance,
    executor: WriterExecutor = WriterExecutor(), ship: Ship? = nil, watch: Watch? = nil
  ) {
    self.ledger = ledger
    self.executor = executor
    (self.ship, self.watch) = (ship, watch)
    self.configuration = configuration
    notify = configuration.notifying
    namedKinds = configuration.namedKinds
    self.logger = logger
    self.board = board
    parts = Parts(ledger, configuration, clock, chance, logger)
    steps = Steps(parts, configuration, logger)
    self.metrics = BooksMetrics(metrics)
  }

  /// One turn of the flow: everything that `body` decides, and everything that follows, is recorded in one transaction.
  /// The messages of the turn leave when the turn is safe.
  func turn<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    try checkThatMemoryHolds()
    takeConfirms()
    return try write { turn in
      let value = try body(turn)
      try self.follow(turn)
      return value
    }
  }

  /// Carries out what follows from a turn: plans go on, rules make jobs, claims are asked about, windows are filled. What
  /// follows may cause more of it: a job that comes too late ends where a window is filled, and its plan, and the rules,
  /// have not looked at that end. So this goes on until nothing is left to look at. It ends, since each cause does: a turn
  /// fills no more than its budget, a plan has no more than its steps, and a chain of rules has a longest length.
  private func follow(_ turn: Turn) throws {
    repeat {
      try steps.plans.advance(turn)
      try steps.rules.fire(turn)
      try steps.claiming.flush(turn)
      // Without room nothing is filled: `Telling` fills on when the outbox is empty.
      if hasRoom { try steps.filling.fill(turn) }
    } while turn.hasEndedSteps || steps.rules.isToFire(turn)
    isUnfilled.store(!parts.departments.unfilled.isEmpty, ordering: .relaxed)
  }

  /// Whether more may be decided: every decision waits in memory until it is told.
  var hasRoom: Bool { signals.outbox.hasRoom && effects.hasRoom }

  /// The number of the last notification that the memory has made; 0: none since it was read from the ledger.
  var lastNotification: Int64 { effects.lastNotification }

  /// Whether everything that is recorded is safe.
  var isAllSafe: Bool { effects.areAllSafe }

  /// Records something beside the flow. `body` has no turn: so it can tell nobody anything, and nothing can follow from it.
  func record<Value>(_ body: (LedgerTransaction) throws -> Value) throws(LedgerError) -> Value {
    try checkThatMemoryHolds()
    takeConfirms()
    return try write { try body($0.ledger) }
  }

  /// Nothing is decided on a memory that is ahead of the ledger.
  func checkThatMemoryHolds() throws(LedgerError) {
    if let failure { throw failure }
  }

  private func write<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    let (unsent, notify) = (parts.unsent, notify)
    let isWatched = watch != nil || !configuration.live.isEmpty
    var (caused, tally) = (TurnEffects(), TurnTally())
    let value: Value
    do {
      value = try commit { transaction in
        let turn = Turn(transaction, isWatched: isWatched, notify: notify)
        try unsent.recordSent(transaction)
        let value = try body(turn)
        (caused, tally) = (turn.effects, turn.tally)
        return value
      }
    } catch {
      failure = error
      throw error
    }
    unsent.noteRecorded()
    metrics.count(tally) { namedKinds.contains($0.kind) || parts.roster.handlers.isNamed($0.kind, in: $0.department) }
    parts.count(tally, at: parts.time.monotonic)
    noteDeadLetters(
      tally.lostReleases.map { DeadLetterCause(queue: Topology.Queue.assignments($0), reason: DeadLetterCause.lost) })
    effects.hold(caused)
    leave(effects.takeSafe())
    return value
  }

  /// The one way into the ledger, timed from the last decision on.
  private func commit<Value>(_ body: (LedgerTransaction) throws -> Value) throws(LedgerError) -> Value {
    var decidedAt: Duration?
    let value = try commit(
      { transaction in
        let value = try body(transaction)
        if transaction.hasChanges { decidedAt = parts.time.monotonic }
        return value
      }, shipping: ship)
    if let decidedAt { metrics.committed(within: parts.time.monotonic - decidedAt) }
    return value
  }

  private func commit<Value>(
    _ body: (LedgerTransaction) throws -> Value, shipping ship: Ship?
  ) throws(LedgerError) -> Value {
    guard let ship else { return try ledger.write(body) }
    let (value, changes) = try ledger.record(body)
    if let changes {
      effects.begin(changes.turn)
      ship(changes)
    }
    return value
  }

  /// What safe turns cause outside.
  private func leave(_ effects: TurnEffects) {
    signals.outbox.append(effects.outgoing)
    parts.unsent.append(effects.notifications)
    if !effects.changes.isEmpty { tell(effects.changes) }
    if !parts.unsent.isEmpty || parts.unsent.isToRead { signals.unsentArrived.fire() }
    if hasChores(butUnpublished: false) { signals.choresArrived.fire() }
  }

  private func tell(_ changes: [JobChange]) {
    watch?(changes)
    let now = parts.time.clock.wallTime(of: parts.time.now)
    signals.outbox.append(LiveNews.messages(of: changes, asked: configuration.live, at: now))
  }

  /// These turns are recorded wherever they have to be: what they cause leaves.
  package func turnsAreSafe(upTo number: Int64) {
    effects.markSafe(upTo: number)
    leave(effects.takeSafe())
    safetyWaiters.turnsAreSafe(upTo: effects.safe)
  }

  /// Waits until everything that is recorded by now is safe: an ack, or an answer, must not leave before.
  package func waitUntilSafe() async throws(CancellationError) {
    let (last, waiter) = (effects.last, safetyWaiters.nextWaiter())
    if isAllSafe { return }
    if Task.isCancelled { throw CancellationError() }
    let isSafe = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // If the task is cancelled after this check, `giveUp` comes after `add`, and finds the waiter.
        if Task.isCancelled { return continuation.resume(returning: false) }
        safetyWaiters.add(waiter, for: last, continuation)
      }
    } onCancel: {
      Task { await giveUp(waiter) }
    }
    guard isSafe else { throw CancellationError() }
  }

  private func giveUp(_ waiter: Int) { safetyWaiters.giveUp(waiter) }

  /// Lets everybody go first who waits for the books. A reader that runs here calls this after each batch: as long as it
  /// always finds the next one, it would never let go, and the coordinator would hear and answer nobody else.
  package func giveWay() async {
    guard isWanted else { return }
    await withCheckedContinuation { continuation in executor.afterOthers { continuation.resume() } }
  }

  /// Whether somebody waits for the books.
  nonisolated var isWanted: Bool { executor.isWanted }

  // MARK: - Sessions

  /// Reads from the ledger all that the memory holds: at the start, and after a turn that could not be recorded.
  package func reload() throws(LedgerError) {
    effects.forgetAll()
    try write { turn in
      // Turns of an earlier process may not be safe, either.
      if ship != nil { effects.begin(try turn.ledger.lastTurn()) }
      try steps.sessions.reload(turn.ledger)
      closeRefused()
    }
    metrics.recount(running: parts.releases.live.running)
    failure = nil
  }

  /// Begins to serve on a new connection.
  package func openSession(_ signals: SessionSignals, at now: Duration) throws(LedgerError) {
    self.signals = signals
    effects.forgetOutgoing()
    try turn { try steps.sessions.begin(at: now, $0) }
  }

  /// Goes on with another configuration, in one turn. The queues of its departments must be there.
  ///
  /// This is not a new session. A new session would read everything from the ledger anew, ask each worker what it runs, and
  /// keep everybody waiting meanwhile. The steps are values made of the parts and the configuration: they are made anew, and
  /// the parts keep what they know.
  package func takeOver(_ new: CoordinatorConfiguration) throws(LedgerError) {
    try checkThatMemoryHolds()
    let (old, named) = (Set(configuration.departments.keys), Set(new.departments.keys))
    (configuration, notify, namedKinds) = (new, new.notifying, new.namedKinds)
    parts.takeOver(new)
    steps = Steps(parts, new, logger)
    // If this turn cannot be recorded, the memory is read anew: by the new configuration.
    try turn {
      try steps.sessions.proceed(added: named.subtracting(old), removed: old.subtracting(named), $0)
    }
  }
}
