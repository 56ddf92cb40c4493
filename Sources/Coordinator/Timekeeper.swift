import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport

/// Looks after everything that happens because time passes: leases, waits that reach their limit, marks that found no
/// transaction to ride in, and jobs that may be lost.
struct Timekeeper {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let lease: Duration

  /// How often it looks at what is in memory: no job is later than this behind its time.
  static let interval: Duration = .milliseconds(100)
  /// How often it looks at what needs a turn of its own.
  static let slowInterval: Duration = .seconds(10)
  /// How often what has ended for long enough is removed: what is to be kept for less is removed sooner.
  static let retentionInterval: Duration = .seconds(60)
  private let retentionTime: Duration?

  init(_ session: CoordinatorSession) {
    bookkeeper = session.bookkeeper
    connections = session.connections
    self.session = session.session
    lease = session.configuration.lease
    retentionTime = session.configuration.retention.time
  }

  func run() async throws {
    var slow = Recurrence(every: Timekeeper.slowInterval)
    var lost = Recurrence(every: lease)
    var retention = Recurrence(
      every: min(Timekeeper.retentionInterval, retentionTime ?? Timekeeper.retentionInterval))
    for await _ in AsyncTimerSequence(interval: Timekeeper.interval, clock: .continuous) {
      let now = SessionClock.now
      try await bookkeeper.tick(at: now, isBlocked: session.state == .blocked)
      try await bookkeeper.touchLedger()
      bookkeeper.board.renew(HealthPart.timekeeper)
      try await bookkeeper.lookAtClock(.now())
      if slow.isDue(at: now) {
        try await bookkeeper.ageReleases(at: .now())
        try await bookkeeper.endUnknownDependencies(at: .now())
      }
      if lost.isDue(at: now) { try await lookForLost() }
      if retention.isDue(at: now) { await bookkeeper.beginRetention() }
    }
  }

  /// A department whose queue is empty cannot have what was released there a lease ago and no worker has named since.
  private func lookForLost() async throws {
    var empty: Set<Department> = []
    for department in await bookkeeper.suspectDepartments(olderThan: lease) {
      let queue = try await connections.consuming.declare(Topology.departmentQueue(department))
      if queue.messageCount == 0 { empty.insert(department) }
    }
    try await bookkeeper.lookForLost(in: empty, olderThan: lease)
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
