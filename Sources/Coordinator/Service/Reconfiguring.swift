import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Logging

/// Has the books take over the configuration that is wanted, as long as a session lasts.
///
/// The session goes on meanwhile. The queues of new departments are declared first, so that a job that is accepted for one
/// of them has a queue. Then the books change within one turn (``Bookkeeper/takeOver(_:)``).
struct Reconfiguring {
  let bookkeeper: Bookkeeper
  let connection: Connection
  let wanted: WantedConfiguration
  let logger: Logger

  /// Several changes that come together are taken over as one, the last one.
  func run() async throws {
    try await takeOver()
    while await wanted.changed.wait() {
      if try await !takeOver() { logger.notice("reloaded \(wanted.latest.file): nothing changes") }
    }
  }

  /// - Returns: Whether the books have another configuration now.
  @discardableResult
  private func takeOver() async throws -> Bool {
    let new = wanted.latest
    let change = ConfigurationChange(from: await bookkeeper.configuration, to: new.configuration)
    if change.isEmpty { return false }
    for department in change.addedDepartments { try await declare(JobQueue(department)) }
    try await bookkeeper.takeOver(new.configuration)
    logger.notice("reloaded \(new.file): \(change.text)")
    return true
  }

  private func declare(_ queue: JobQueue) async throws {
    let began = SessionClock.now
    do {
      try await Topology.declare(queue, on: connection)
    } catch {
      // A department that was there before may have its queue on a node that is down.
      if error.mayMeanQueueIsDown { await bookkeeper.suspectDownQueues(since: began) }
      throw error
    }
  }
}
