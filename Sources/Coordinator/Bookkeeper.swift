import Decisions
import DequeModule
import JobModel
import JobTransport
import Ledger
import Logging

/// The one who writes the ledger: decides in memory and records in the same turn, so that neither is ever ahead of the
/// other. Each of the flow's steps adds its turns in a file of its own.
///
/// A turn that could not be recorded leaves the memory ahead; it ends the session, and the next one begins with
/// ``reload()``.
actor Bookkeeper {
  let ledger: Ledger
  let configuration: CoordinatorConfiguration
  let logger: Logger
  /// Where the steps show that they go on.
  let board: HealthBoard
  /// When this process began, on the session's clock.
  let began = SessionClock.now
  /// Of the ledger; before it is read, of this process.
  var clock = LedgerClock(at: .now)
  var isClockSet = false
  /// Whether the ages of what the ledger had released are counted from a session's beginning.
  var isAgeCounted = false
  /// Of the ledger: a ledger that was rolled back begins a new one.
  var epoch: Int
  /// Nothing is released before, and no claim answered: an epoch has begun. Nil: it is past.
  var quietUntil: Timestamp?
  /// A worker has shown a number of this epoch that this ledger never gave: the next session begins a later one. Nil: none
  /// has.
  var epochShown: Int?
  /// The workers that were welcomed in this session, and are still there: each is, so that it knows the present epoch and
  /// what is void.
  var greeted: Set<WorkerID> = []
  private let executor = WriterExecutor()
  /// Of the present session.
  var outbox = Outbox()
  /// Tells the present session's notifier that `unsent` has something.
  var unsentArrived = Signal()
  /// Tells the present session that there are chores.
  var choresArrived = Signal()

  var desks: [Department: Desk] = [:]
  /// Every job that is released and unfinished.
  var released = LiveJobs()
  var claims = Claims(firstNumber: 0)
  var attendance: Attendance
  var waits = Waits()
  var followers = Followers()
  /// What was refused of late, and how much of that was logged.
  var refusals = RefusalLog()
  /// When it served, as far back as anybody is given time for something.
  var served = ServedTime(memory: Dependencies.unknownLimit)
  /// Releases that must not be started, and the places they keep.
  var voids = VoidReleases()
  var voidPlaces: [ReleaseID: VoidPlace] = [:]
  var voidBeside = PlacesBeside()
  /// What is to be changed of released jobs, once no worker can have them.
  var changes: [ReleaseID: Change] = [:]
  /// Per queue and level: when the latest release was made, on the session's clock, of which a worker is known to have
  /// had it fresh.
  var freshest: [JobQueue: [Priority: Duration]] = [:]
  /// Which workers have handlers for which kinds.
  var handlers = HandlerMap()
  /// With jobs that suspects wait for.
  var patience = Patience(limit: .seconds(600))
  /// The queues beside those of departments.
  var kindQueues = KindQueues()
  /// How many tellers of each worker serve those, by department and kind.
  var shares: [WorkerID: [String: [JobKind: Int]]] = [:]
  /// Kinds that nobody has a handler for, as far as that was logged.
  var missingHandlers: Set<JobQueue> = []
  /// Ledger marks that are not worth a transaction of their own.
  var marks = Marks()
  /// When the first held job is due, and when the first waiting job comes too late; nil: none.
  var nextDue: Timestamp?
  var nextTooLate: Timestamp?
  /// How far the look at those has come.
  var tooLateRound = TooLateRound()
  /// When the schedules fire; nil: not known.
  var agenda: Agenda?
  /// What takes more turns than one.
  var chores = Chores()
  /// What is known of queues whose node is down.
  var downQueues = DownQueues()
  var earlierQueues = EarlierQueues()
  /// Queues that were made anew, and that the next session begins with.
  var renewedQueues: Set<JobQueue> = []
  /// The jobs that others wait for.
  var waitedFor = WaitedFor()
  /// Departments whose window has room for more held jobs than one turn releases.
  var unfilled: Set<Department> = []
  /// The last department that had its turn when there was more to release than one turn does: the next turn begins behind
  /// it.
  var lastFilled: Department?
  /// The next notifications for the stream, in sequence.
  var unsent: Deque<Notification> = []
  /// More of them than the memory holds are in the ledger.
  var hasUnsentInLedger = false
  /// Why a turn could not be recorded: until ``reload()`` the memory knows what the ledger does not.
  var failure: LedgerError?
  /// Other ledgers whose questions have come here; each is logged once.
  var strangers: Set<LedgerID> = []
  /// Reports with a token that a later release or grant replaced, and those about jobs that have ended.
  var ignoredReports = 0
  /// Messages of users who may not send them.
  var notAllowed = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(ledger: Ledger, configuration: CoordinatorConfiguration, logger: Logger, board: HealthBoard = HealthBoard()) {
    self.ledger = ledger
    self.configuration = configuration
    self.logger = logger
    epoch = ledger.epoch
    self.board = board
    attendance = Attendance(lease: configuration.lease)
  }

  /// One turn: what `body` decides is recorded in one turn, and only then told.
  func turn<Value>(_ body: (Turn) throws -> Value) throws(LedgerError) -> Value {
    try checkThatMemoryHolds()
    var outgoing: [Outgoing] = []
    let value: Value
    do {
      value = try ledger.write { transaction in
        let turn = Turn(transaction)
        if let sentUpTo = marks.sentUpTo { try transaction.markSent(upTo: sentUpTo) }
        let value = try body(turn)
        outgoing = turn.outgoing
        return value
      }
    } catch {
      failure = error
      throw error
    }
    marks.sentUpTo = nil
    outbox.append(outgoing)
    if !unsent.isEmpty { unsentArrived.fire() }
    if !chores.isEmpty() { choresArrived.fire() }
    return value
  }

  /// Nothing is decided on a memory that is ahead of the ledger.
  func checkThatMemoryHolds() throws(LedgerError) {
    if let failure { throw failure }
  }

  /// Records what can wait. Most jobs have ended by then, and need no mark.
  func recordMarks() throws(LedgerError) {
    let confirmed = marks.confirmed.compactMap { release in
      released[release.job].flatMap { $0.release == release ? (number: $0.number, release: release.number) : nil }
    }
    marks.confirmed = []
    guard !confirmed.isEmpty || marks.sentUpTo != nil else { return }
    try turn { turn in try turn.ledger.markConfirmed(confirmed) }
  }
}

/// What is known but not yet recorded, and costs only repetition if it is lost.
struct Marks {
  /// The broker has them. Recorded now and then, as far as they are still of account.
  var confirmed: [ReleaseID] = []
  /// Recorded in the next turn.
  var sentUpTo: Int64?
}
