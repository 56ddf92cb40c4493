import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// The one who writes the ledger: decides in memory and records in the same turn, so that neither is ever ahead of the
/// other. It only carries out turns: what happens in them is in the steps (``Steps``), what is known in the parts
/// (``Parts``).
///
/// A turn that could not be recorded leaves the memory ahead; it ends the session, and the next one begins with
/// ``reload()``.
actor Bookkeeper {
  let ledger: Ledger
  let configuration: CoordinatorConfiguration
  let logger: Logger
  /// Where the steps show that they go on.
  let board: HealthBoard
  let parts: Parts
  let steps: Steps
  /// Of the present session.
  private(set) var signals = SessionSignals()
  /// What turns cause outside, until they are safe.
  private var effects = HeldEffects()
  /// The number of the last turn.
  private var lastTurn: Int64 = 0
  /// Why a turn could not be recorded: until ``reload()`` the memory knows what the ledger does not.
  private var failure: LedgerError?
  private let executor = WriterExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(ledger: Ledger, configuration: CoordinatorConfiguration, logger: Logger, board: HealthBoard = HealthBoard()) {
    self.ledger = ledger
    self.configuration = configuration
    self.logger = logger
    self.board = board
    parts = Parts(ledger, configuration, logger)
    steps = Steps(parts, configuration, logger)
  }

  /// One turn of the flow: what `body` decides is recorded in one transaction, with everything that follows from it; what
  /// it causes outside leaves when the turn is safe.
  func turn<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    try record { turn in
      let value = try body(turn)
      try self.follow(turn)
      return value
    }
  }

  /// What follows from a turn: plans go on, claims are asked about, windows are filled.
  private func follow(_ turn: Turn) throws {
    repeat {
      try steps.plans.advance(turn)
      try steps.claiming.flush(turn)
      // Whoever empties the outbox fills on.
      if signals.outbox.hasRoom { try steps.filling.fill(turn) }
    } while turn.hasEndedSteps
  }

  /// A turn beside the flow: nothing follows from what is recorded.
  func record<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    try checkThatMemoryHolds()
    return try write(body)
  }

  /// Nothing is decided on a memory that is ahead of the ledger.
  func checkThatMemoryHolds() throws(LedgerError) {
    if let failure { throw failure }
  }

  private func write<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    lastTurn += 1
    let (number, unsent) = (lastTurn, parts.unsent)
    var effects = TurnEffects()
    let value: Value
    do {
      value = try ledger.write { transaction in
        let turn = Turn(number, transaction)
        try unsent.recordSent(transaction)
        let value = try body(turn)
        effects = turn.effects
        return value
      }
    } catch {
      failure = error
      throw error
    }
    unsent.isRecorded()
    self.effects.hold(effects, of: number)
    // With one disk a turn is safe when it is recorded.
    leave(self.effects.safe(upTo: number))
    return value
  }

  /// What safe turns cause outside.
  private func leave(_ effects: TurnEffects) {
    signals.outbox.append(effects.outgoing)
    parts.unsent.append(effects.notifications)
    if !parts.unsent.isEmpty { signals.unsentArrived.fire() }
    if hasChores(butUnpublished: false) { signals.choresArrived.fire() }
  }

  // MARK: - Sessions

  /// Reads from the ledger all that the memory holds: at the start, and after a turn that could not be recorded.
  func reload() throws(LedgerError) {
    effects = HeldEffects()
    try write { turn in
      // Later turns have higher numbers than those of earlier processes.
      let number = Int64(try turn.ledger.nextIncarnation()) << Int64(Epoch.numberBits)
      lastTurn = max(lastTurn, number)
      try steps.sessions.reload(turn.ledger)
    }
    failure = nil
  }

  /// Begins to serve on a new connection.
  func openSession(_ signals: SessionSignals, at now: Duration) throws(LedgerError) {
    self.signals = signals
    try turn { try steps.sessions.begin(at: now, $0) }
  }
}

/// What turns cause outside, in the order of the turns, until each is safe.
struct HeldEffects {
  private var held: [(number: Int64, effects: TurnEffects)] = []

  mutating func hold(_ effects: TurnEffects, of number: Int64) { held.append((number, effects)) }

  /// The turns up to that number are safe: what they cause leaves.
  mutating func safe(upTo number: Int64) -> TurnEffects {
    let count = held.prefix { $0.number <= number }.count
    // One turn is the rule: nothing is copied.
    if count == 1 { return held.removeFirst().effects }
    defer { held.removeFirst(count) }
    return held.prefix(count).reduce(into: TurnEffects()) { all, turn in
      all.outgoing += turn.effects.outgoing
      all.notifications += turn.effects.notifications
    }
  }
}
