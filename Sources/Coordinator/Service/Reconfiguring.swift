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
///
/// A new department whose queue the broker refuses is left out. All other departments are served on. While no connection
/// can be opened to try such a queue, nothing is taken over, and the session goes on as it was.
struct Reconfiguring {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let wanted: WantedConfiguration
  let logger: Logger
  var pause = Reconfiguring.pause

  /// How long it waits before it tries again where a queue could not be tried.
  static let pause: Duration = .seconds(10)

  /// Several changes that come together are taken over as one, the last one.
  func run() async throws {
    repeat {
      while try await !takeOver() {
        _ = await wanted.changed.wait(atMost: pause)
        try Task.checkCancellation()
      }
    } while await wanted.changed.wait()
  }

  /// - Returns: False: the queue of a new department could not be tried, and nothing was taken over.
  private func takeOver() async throws -> Bool {
    let new = wanted.latest
    let old = await bookkeeper.configuration
    let asWanted = ConfigurationChange(from: old, to: new.configuration)
    guard let obstacles = try await obstacles(to: asWanted) else { return false }
    let change = ConfigurationChange(from: old, to: new.configuration, except: obstacles)
    for setting in obstacles.kept(new.configuration, from: old) {
      logger.warning("is left as it was, as long as a new department is left out: \(setting)")
    }
    if !change.isEmpty { try await bookkeeper.takeOver(change.configuration) }
    if new.isNews { logger.notice("reloaded \(new.file): \(change.text)") }
    wanted.settle(new, for: change.configuration)
    return true
  }

  /// Nil: the queue of a new department could not be tried.
  private func obstacles(to change: ConfigurationChange) async throws -> ConfigurationObstacles? {
    let ordered = change.addedDepartments.filter { change.configuration.departments[$0]?.isOrdered == true }
    let crowded = try await bookkeeper.crowded(ordered)
    for department in crowded.sorted() {
      logger.warning(
        "needs a restart, and is left out: ordered department \(department), which holds many jobs without an order")
    }
    var leftOut = crowded
    for department in change.addedDepartments where !crowded.contains(department) {
      let trials = QueueTrials(bookkeeper: bookkeeper, connections: connections)
      switch try await trials.outcome(of: [JobQueue(department)]) {
      case .notMade(let error, _, _):
        warn(error, of: department)
        return nil
      case .refusals(let refusals):
        guard let refusal = refusals.values.first else { continue }
        tell(refusal, of: department)
        leftOut.insert(department)
      }
    }
    return ConfigurationObstacles(leftOut: leftOut)
  }

  private func warn(_ error: AMQPError, of department: Department) {
    logger.warning(
      """
      cannot try the queue of a new department: the changes of the file wait until the broker takes one more connection; \
      the coordinator tries again
      """, metadata: ["department": "\(department)", "reason": "\(error.cause)"])
  }

  private func tell(_ refusal: AMQPError, of department: Department) {
    let metadata: Logger.Metadata = [
      "department": "\(department)", "queue": "\(Topology.queue(JobQueue(department)).name)",
      "reason": "\(refusal.cause)",
    ]
    logger.error(
      """
      a new department is left out, because the broker refuses its queue; everything else of the file counts; remove the \
      cause, and send SIGHUP again
      """, metadata: metadata)
  }
}
