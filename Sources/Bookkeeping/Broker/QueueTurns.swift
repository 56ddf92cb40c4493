package import Decisions
package import JobModel
import JobTransport
package import Ledger

/// What becomes of the broker's queues.
extension Bookkeeper {
  /// The broker has refused something, or not answered, since then; a node that is down may be why.
  package func suspectDownQueues(since: Duration) { parts.brokerQueues.down.suspect(since: since) }

  /// Since when the broker has left something without an answer; nil: nothing.
  package var downQueuesSuspectedSince: Duration? { parts.brokerQueues.down.suspectedSince }

  /// What is to be done about the queues that are down now.
  package func lookAt(down queues: [String]) -> DownQueues.Finding {
    parts.brokerQueues.down.look(queues, at: parts.time.monotonic)
  }

  /// Ends the jobs of releases that the broker does not take: each with its error, the others go on.
  package func end(_ refused: [RefusedRelease]) throws(LedgerError) {
    parts.releases.void.publishingIsOver(refused.map(\.release))
    try turn { turn in for one in refused { try steps.releasing.end(one, turn) } }
  }

  package func renewed(_ queue: String) { parts.brokerQueues.down.renewed(queue) }

  /// Whether that is news.
  package func couldNotRenew(_ queue: String) -> Bool {
    parts.brokerQueues.down.couldNotRenew(queue, at: parts.time.monotonic)
  }

  /// The queues of a department: its own, and those of its kinds.
  package func queues(of department: Department) -> [JobQueue] {
    [JobQueue(department)] + kindQueues.filter { $0.department == department }
  }

  package var kindQueues: [JobQueue] { parts.departments.kindQueues.all }

  /// A queue was deleted with its messages.
  ///
  /// - Returns: How many releases are published again.
  package func queueIsLost(_ queue: String) throws(LedgerError) -> Int {
    let queues = configuration.departments.keys.map { JobQueue($0) } + kindQueues
    guard let queue = queues.first(where: { Topology.Queue.assignments($0) == queue }) else { return 0 }
    parts.brokerQueues.madeAnew(queue)
    return try record { try steps.lost.queueIsLost(queue, $0) }
  }
}
