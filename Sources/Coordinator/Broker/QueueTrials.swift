import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Declares queues of assignments on a connection of its own, which a refusal ends: a queue that the broker refuses takes
/// out its department alone.
struct QueueTrials {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  /// How long the broker may take for one queue; nil: as long as on any connection of the session.
  var limit: Duration?

  /// What the trials of some queues have shown.
  enum Outcome: Sendable {
    /// What the broker refuses each queue with; the others are there.
    case refusals([JobQueue: AMQPError])
    /// No connection could be opened, which says nothing about these queues: they are to be tried again later. Before that the
    /// broker had refused the others.
    case notMade(AMQPError, of: ArraySlice<JobQueue>, refusals: [JobQueue: AMQPError])
  }

  /// - Throws: An answer for a queue that waiting may mend, such as that of a queue whose node is down.
  func outcome(of queues: [JobQueue]) async throws(AMQPError) -> Outcome {
    var refusals: [JobQueue: AMQPError] = [:]
    var open: Connection?
    for (index, queue) in queues.enumerated() {
      let began = SessionClock.now
      do throws(AMQPError) {
        let connection: Connection
        if let open { connection = open } else { connection = try await connections.openForTrial(limit: limit) }
        open = connection
        try await Topology.declare(queue, on: connection)
      } catch {
        guard let connection = open else { return .notMade(error, of: queues[index...], refusals: refusals) }
        await connection.close()
        open = nil
        // The queue may be on a node that is down.
        if error.mayMeanQueueIsDown { await bookkeeper.suspectDownQueues(since: began) }
        if error.isTransient { throw error }
        refusals[queue] = error
      }
    }
    await open?.close()
    return .refusals(refusals)
  }
}
