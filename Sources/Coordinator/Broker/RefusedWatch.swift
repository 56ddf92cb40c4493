import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Looks again and again whether the broker takes the queues of departments that it has refused. A department is out until
/// then, and nobody has to do anything when the reason is gone. A look for which no connection can be opened changes
/// nothing, and all others are served on.
struct RefusedWatch {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession

  /// How often it looks whether a department is due.
  static let interval: Duration = .milliseconds(500)
  /// How long the broker may take for one queue: one that takes longer is on a node that is down.
  static let limit: Duration = .seconds(5)
  /// What is said of a department whose queue is there, and takes nothing.
  static let isFull = "its queue takes no further message: it is as long as a policy or an argument allows"

  func run() async throws {
    for await _ in AsyncTimerSequence(interval: RefusedWatch.interval, clock: .continuous) {
      for department in await bookkeeper.refusedDepartments(dueAt: SessionClock.now) { try await look(at: department) }
    }
  }

  private func look(at department: Department) async throws {
    let queues = await bookkeeper.queues(of: department)
    let trials = QueueTrials(bookkeeper: bookkeeper, connections: connections, limit: RefusedWatch.limit)
    switch try await trials.outcome(of: queues) {
    case .notMade(let error, _, _): return await bookkeeper.couldNotLook(at: department, because: error.cause)
    case .refusals(let refusals):
      if let refusal = refusals.values.first {
        return await bookkeeper.refuse(department, because: refusal.brokersWords)
      }
    }
    let results = try await TimedPublishing(
      connection: connections.publishing, session: session, limit: Declaring.probeLimit
    ).publishInTime(queues.map { QueueProbe.publishing(to: Topology.queue($0).name) }, as: "a look at a refused queue")
    if results.contains(.nacked) { return await bookkeeper.refuse(department, because: RefusedWatch.isFull) }
    try await bookkeeper.readmit(department)
  }
}
