/// The queues that are on a node of the broker that is down, as far as that is known, and since when. A pure value, by
/// the session's clock. It lives longer than a connection, because a connection is lost with its node.
package struct DownQueues: Sendable {
  /// What is to be done after a look at the queues.
  package struct Finding: Hashable, Sendable {
    /// The queues that have been down for so long that they are made anew.
    package var renewed: [String] = []
    /// The queues whose node may still come back.
    package var awaited: [String] = []
  }

  /// How long the node of a queue has to come back. A node that was only started again recovers its queues within this
  /// time, with what is in them; longer, and jobs would wait for longer than it costs to ask for each once more.
  package static let limit: Duration = .seconds(10)

  /// Since when the broker has left something without an answer, so that a queue may be down; nil: nothing.
  package private(set) var suspectedSince: Duration?
  private var downSince: [String: Duration] = [:]
  /// The queues that the broker would not make anew.
  private var refused: Set<String> = []

  package init() {}

  /// The broker has refused something, or has not answered, and a queue that is down may be the reason. `since`: when
  /// it was asked.
  package mutating func suspect(since: Duration) { suspectedSince = suspectedSince ?? since }

  /// These queues, of all that there are, are down now.
  package mutating func look(_ down: [String], at now: Duration) -> Finding {
    let suspected = suspectedSince ?? now
    downSince = down.reduce(into: [:]) { $0[$1] = downSince[$1] ?? suspected }
    refused.formIntersection(down)
    suspectedSince = down.isEmpty ? nil : suspected
    var finding = Finding()
    for queue in down {
      if now - (downSince[queue] ?? now) >= DownQueues.limit {
        finding.renewed.append(queue)
      } else {
        finding.awaited.append(queue)
      }
    }
    return finding
  }

  /// A queue was made anew. When all queues were, the matter is over: a queue that is down later has a time of its own.
  package mutating func renewed(_ queue: String) {
    downSince[queue] = nil
    if downSince.isEmpty { suspectedSince = nil }
  }

  /// The broker would not make that queue anew: its node has the whole time again before that is tried once more.
  ///
  /// - Returns: Whether that is news.
  package mutating func couldNotRenew(_ queue: String, at now: Duration) -> Bool {
    downSince[queue] = now
    return refused.insert(queue).inserted
  }
}
