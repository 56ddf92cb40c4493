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

  /// How often it looks.
  static let interval: Duration = .milliseconds(500)

  init(_ session: CoordinatorSession) {
    bookkeeper = session.bookkeeper
    connections = session.connections
    self.session = session.session
    lease = session.configuration.lease
  }

  func run() async throws {
    var looked = SessionClock.now
    for await _ in AsyncTimerSequence(interval: Timekeeper.interval, clock: .continuous) {
      let now = SessionClock.now
      try await bookkeeper.tick(at: now, isBlocked: session.state == .blocked)
      try await bookkeeper.touchLedger()
      bookkeeper.board.renew(HealthPart.timekeeper)
      guard now - looked > lease else { continue }
      looked = now
      try await lookForLost()
    }
  }

  /// A department whose queue is empty cannot have what was released there a lease ago and no worker has named since.
  private func lookForLost() async throws {
    var empty: Set<Department> = []
    for department in await bookkeeper.suspectDepartments(olderThan: lease) {
      let queue = try await connections.consuming.declare(Topology.departmentQueue(department))
      if queue.messageCount == 0 { empty.insert(department) }
    }
    if !empty.isEmpty { try await bookkeeper.lookForLost(in: empty, olderThan: lease) }
  }
}
