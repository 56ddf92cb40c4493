import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport

/// Looks after everything that happens because time passes: leases, waits that reach their limit, what is held until a
/// time, marks that can wait, jobs that may be lost, and what is kept no longer.
struct Timekeeper {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let lease: Duration
  private let retentionInterval: Duration

  /// How often it looks at what is in memory: no job is later than this behind its time.
  static let interval: Duration = .milliseconds(100)
  /// How many turns it takes at most for what is due, before it looks at the rest again.
  static let clockTurns = 64
  /// How long marks wait to be recorded.
  static let marksInterval: Duration = .milliseconds(500)
  /// How often it looks at what needs a turn of its own.
  static let slowInterval: Duration = .seconds(10)
  /// How often what has ended for long enough is removed: ten times within the time that it is kept, within these limits.
  static let retentionIntervals: ClosedRange<Duration> = .seconds(1)...(.seconds(60))

  init(_ session: CoordinatorSession) {
    bookkeeper = session.bookkeeper
    connections = session.connections
    self.session = session.session
    lease = session.configuration.lease
    let time = session.configuration.retention.time ?? Timekeeper.retentionIntervals.upperBound
    let limits = Timekeeper.retentionIntervals
    retentionInterval = min(limits.upperBound, max(limits.lowerBound, time / 10))
  }

  func run() async throws {
    var recurrences = Recurrences(lost: lease, retention: retentionInterval)
    for await _ in AsyncTimerSequence(interval: Timekeeper.interval, clock: .continuous) {
      let now = SessionClock.now
      try await bookkeeper.watchClock()
      try await bookkeeper.tick(at: now, isBlocked: session.state == .blocked)
      try await bookkeeper.shareTellers(at: now)
      try await lookAtClock()
      try await look(at: now, &recurrences)
      bookkeeper.board.renew(HealthPart.timekeeper)
    }
  }

  /// Many jobs that are due at once are lifted turn by turn, so that others have their turns in between.
  private func lookAtClock() async throws {
    for _ in 0..<Timekeeper.clockTurns {
      guard try await bookkeeper.lookAtClock(await bookkeeper.now) else { return }
    }
  }

  private func look(at now: Duration, _ recurrences: inout Recurrences) async throws {
    if recurrences.marks.isDue(at: now) {
      try await bookkeeper.recordMarks()
      try await bookkeeper.touchLedger()
    }
    if recurrences.slow.isDue(at: now) {
      try await bookkeeper.ageReleases(at: await bookkeeper.now)
      try await bookkeeper.endUnknownDependencies()
      try await lookAtQueues()
    }
    if recurrences.lost.isDue(at: now) { try await lookForLost() }
    if recurrences.retention.isDue(at: now) { await bookkeeper.beginRetention() }
  }

  /// What is not done at each look.
  private struct Recurrences {
    var marks = Recurrence(every: Timekeeper.marksInterval)
    var slow = Recurrence(every: Timekeeper.slowInterval)
    var lost: Recurrence
    var retention: Recurrence

    init(lost: Duration, retention: Duration) {
      self.lost = Recurrence(every: lost)
      self.retention = Recurrence(every: retention)
    }
  }

  /// A department whose queue is empty cannot have what was released there a lease ago and no worker has named since.
  private func lookForLost() async throws {
    var empty: Set<JobQueue> = []
    for queue in await bookkeeper.suspectQueues(olderThan: lease) {
      if try await messages(in: queue) == 0 { empty.insert(queue) }
    }
    try await bookkeeper.lookForLost(in: empty, olderThan: lease)
  }

  /// A queue that is down is noticed when something is published to it. Where everything is released already, nothing is:
  /// a queue in which something has been waiting is asked for.
  private func lookAtQueues() async throws {
    for queue in await bookkeeper.suspectQueues(olderThan: Timekeeper.slowInterval) {
      _ = try await messages(in: queue)
    }
  }

  /// How many messages wait in a queue.
  private func messages(in queue: JobQueue) async throws -> Int {
    let began = SessionClock.now
    do {
      return try await connections.consuming.declare(Topology.queue(queue)).messageCount
    } catch {
      if error.mayMeanQueueIsDown { await bookkeeper.suspectDownQueues(since: began) }
      throw error
    }
  }
}

/// Something that is to be done now and then.
struct Recurrence {
  let interval: Duration
  private var last: Duration

  init(every interval: Duration, since start: Duration = SessionClock.now) {
    self.interval = interval
    last = start
  }

  mutating func isDue(at now: Duration) -> Bool {
    guard now - last > interval else { return false }
    last = now
    return true
  }
}
