import DequeModule
import JobModel
import JobTransport
import Ledger
import Logging

/// What takes more turns than one, so that each turn is short and the flow goes on in between.
struct Chores: Sendable {
  /// A job that has ended and that others may wait for.
  struct Settled: Hashable, Sendable {
    var job: JobID
    var state: JobState
  }

  /// The most commands about many jobs that go on at once.
  static let operationLimit = 100

  private(set) var settled: Deque<Settled> = []
  /// Commands about many jobs, in the order in which they were given.
  var operations: [OperationRecord] = []
  /// By the command's id: the departments of which it is about to cancel everything that they held.
  var clearing: [Int64: Set<Department>] = [:]
  /// Releases that are not known to be in their queue, to be published again.
  var unpublished: Deque<ReleaseID> = []
  /// What has ended for long enough is to be removed: after the notification of that number; nil: not now.
  var removeAfter: Int64?

  /// Windows may have room for more than one turn released.
  var isToFill = false
  /// Kinds that a worker has a handler for now, while jobs may be held for one; nil: of all kinds.
  private(set) var handlersToLookFor: Deque<JobQueue> = []
  private var isToLookFor: Set<JobQueue> = []

  /// The most kinds of a department that are looked after at once.
  static let kindLimit = 10_000

  /// Whether there is nothing to do, when what is unpublished has to wait or not.
  func isEmpty(butUnpublished waits: Bool = false) -> Bool {
    settled.isEmpty && operations.isEmpty && (waits || unpublished.isEmpty) && removeAfter == nil
      && handlersToLookFor.isEmpty && !isToFill
  }

  mutating func settle(_ job: JobID, _ state: JobState) { settled.append(Settled(job: job, state: state)) }
  mutating func firstIsSettled() { settled.removeFirst() }

  /// Jobs of that kind may be held for a handler, and there is one now.
  mutating func lookForHandlers(of kind: JobKind?, in department: Department) {
    let queue = JobQueue(department, kind: kind)
    if isToLookFor.insert(queue).inserted { handlersToLookFor.append(queue) }
  }

  mutating func looked(after queue: JobQueue) {
    guard handlersToLookFor.first == queue else { return }
    handlersToLookFor.removeFirst()
    isToLookFor.remove(queue)
  }
}

/// Does one turn after the other for as long as there are chores, and waits for new ones.
struct ChoreDesk {
  let bookkeeper: Bookkeeper
  let outbox: Outbox
  /// Fired when there are some.
  let arrived: Signal

  func run() async throws {
    while true {
      await outbox.room()
      try Task.checkCancellation()
      if try await turn() { continue }
      guard await arrived.wait() else { return }
    }
  }

  private func turn() async throws -> Bool {
    bookkeeper.board.begin(HealthPart.chores)
    defer { bookkeeper.board.end(HealthPart.chores) }
    return try await bookkeeper.doChores()
  }
}

extension Bookkeeper {
  /// One turn of each chore.
  ///
  /// - Returns: whether there is more to do.
  func doChores() throws(LedgerError) -> Bool {
    if !chores.unpublished.isEmpty, !isQuiet { try publishAgain() }
    if !chores.settled.isEmpty { try settleNext() }
    if !chores.handlersToLookFor.isEmpty { try liftWithheld() }
    if chores.isToFill {
      chores.isToFill = false
      // Also where no window has room: a suspect that was lifted waits for its turn, not for room.
      try turn { turn in try fill(turn) }
    }
    if !chores.operations.isEmpty { try continueOperation() }
    if chores.removeAfter != nil { try removeOld() }
    return !chores.isEmpty(butUnpublished: isQuiet)
  }

  /// The most jobs that have ended whose dependents one turn looks for.
  private static let settledLimit = 256

  private func settleNext() throws(LedgerError) {
    try turn { turn in
      var left = Bookkeeper.dependentLimit
      for _ in 0..<Bookkeeper.settledLimit {
        guard left > 0, let next = chores.settled.first else { break }
        let count = try settleDependents(of: next.job, next.state, atMost: left, turn)
        if count < left { chores.firstIsSettled() }
        left -= count
      }
      try fill(turn)
    }
  }

  /// Nobody knows whether these are in their queues: they are published again, to be claimed.
  private func publishAgain() throws(LedgerError) {
    try turn { turn in
      while turn.budget.hasRoom, let release = chores.unpublished.popFirst() {
        // Void by now, and never published in this session: nothing is on its way that would have to be waited for.
        voidPlaces[release]?.isSettled = true
        // What belongs to a department that is not configured any more waits for it to come back.
        guard let job = released[release.job], job.release == release, !job.isConfirmed,
          configuration.departments[job.department] != nil, let content = try turn.ledger.content(of: job.number)
        else { continue }
        // What is in a queue that is being removed is claimed when that is gone.
        if kindQueues.isClosing(job.queue) { continue }
        // An earlier session may have removed its queue, and not come so far as to claim it.
        if job.isBeside { try makeKindQueue(for: job.kind, in: job.department, turn) }
        released[job.id]?.since = SessionClock.now
        turn.tell(.assignment(job.assignment(of: ledger.id, epoch: epoch, content, mustClaim: true)))
        turn.budget.spend(bytes: content.payload.count)
      }
    }
  }
}
