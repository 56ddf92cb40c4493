package import JobModel

/// The departments whose queue the broker refuses.
package typealias RefusedDepartments = QueueRefusals<Department>

/// The queues that the broker refuses, why, and when each is looked at again. A pure value, by the session's clock. It
/// lives longer than a connection: what the broker refuses on one it refuses on the next.
///
/// `Queue`: what names a queue. For the coordinator that is a department, for a worker also a kind in a department.
package struct QueueRefusals<Queue: Hashable & Comparable & Sendable>: Sendable {
  private struct Entry {
    var reason: String
    var since: Duration
    var nextLook: Duration
    var wait: Duration
  }

  /// How long after a refusal the broker is asked again. Each wait is twice as long as the one before.
  package static var firstWait: Duration { .seconds(2) }
  /// The longest of these waits.
  package static var longestWait: Duration { .seconds(60) }

  private var entries: [Queue: Entry] = [:]
  /// When a queue was taken back last, and the wait before that: one that is refused again at once waits longer.
  private var takenBack: [Queue: (wait: Duration, at: Duration)] = [:]

  package init() {}

  /// Why each is refused, in the broker's words.
  package var reasons: [Queue: String] { entries.mapValues(\.reason) }

  /// Since when the queue is refused; nil: it is not.
  package func since(_ queue: Queue) -> Duration? { entries[queue]?.since }

  /// The broker has refused the queue. `isSoon`: why is not known yet, and is looked at without a wait.
  ///
  /// - Returns: Whether that is news: it was not refused before, or for another reason.
  package mutating func refuse(
    _ queue: Queue, because reason: String, isSoon: Bool = false, at now: Duration
  ) -> Bool {
    guard var entry = entries[queue] else {
      let last = takenBack[queue].flatMap { now - $0.at < QueueRefusals.longestWait ? $0.wait : nil }
      let wait = last.map { min($0 * 2, QueueRefusals.longestWait) } ?? QueueRefusals.firstWait
      let nextLook = isSoon && last == nil ? now : now + wait
      entries[queue] = Entry(reason: reason, since: now, nextLook: nextLook, wait: wait)
      return true
    }
    // What is known says more than what is not.
    if isSoon { return false }
    defer { entries[queue] = entry }
    let isNews = entry.reason != reason
    entry.reason = reason
    entry.nextLook = now + entry.wait
    entry.wait = min(entry.wait * 2, QueueRefusals.longestWait)
    return isNews
  }

  /// A look at a refused queue has failed, and the next one waits longer. The reason stays: what kept the process from
  /// looking, such as a lost connection, says less.
  package mutating func noteStillRefused(_ queue: Queue, at now: Duration) {
    guard let reason = entries[queue]?.reason else { return }
    _ = refuse(queue, because: reason, at: now)
  }

  /// The queues that are to be looked at now.
  package func due(at now: Duration) -> [Queue] {
    entries.filter { $0.value.nextLook <= now }.keys.sorted()
  }

  /// The broker takes the queue.
  ///
  /// - Returns: Whether it was refused before.
  package mutating func accept(_ queue: Queue, at now: Duration) -> Bool {
    guard let entry = entries.removeValue(forKey: queue) else { return false }
    takenBack[queue] = (entry.wait, now)
    return true
  }
}
