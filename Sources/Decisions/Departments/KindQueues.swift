package import JobModel

/// The queues of kinds, beside the queues of the departments. A pure value.
///
///     a job is released to it ─▶ open ─▶ idle for 10 s ─▶ closing ─▶ removed
package struct KindQueues: Hashable, Sendable {
  private enum Stage: Hashable {
    case open
    /// The queue is being removed: nothing is released to it.
    case closing
  }

  private var stages: [JobQueue: Stage] = [:]
  /// Since when each queue has had nothing to do, by the session's clock.
  private var idleSince: [JobQueue: Duration] = [:]
  /// Something was released to a queue that no teller serves yet.
  package private(set) var isUrgent = false
  /// The queues that were urgent since the last regular sharing of the tellers.
  private var hurried: Set<JobQueue> = []
  /// When the last regular sharing was, and how many there were.
  private var sharedAt: Duration = .zero
  package private(set) var turn = 0
  /// The queues for which jobs may be held until there is room.
  package private(set) var waiting: Set<JobQueue> = []

  /// How long a queue is kept that has nothing in it.
  package static let idleLimit: Duration = .seconds(10)
  /// The time between two regular sharings of the tellers. A job for a queue without a teller makes one more sharing,
  /// once for each queue.
  package static let sharingInterval: Duration = .seconds(1)

  package init(_ queues: [JobQueue] = []) {
    stages = Dictionary(uniqueKeysWithValues: queues.map { ($0, .open) })
  }

  package var all: [JobQueue] { stages.keys.sorted() }
  /// Whether there is such a queue: a department's own always is.
  package func has(_ queue: JobQueue) -> Bool { queue.kind == nil || stages[queue] != nil }
  package func isClosing(_ queue: JobQueue) -> Bool { stages[queue] == .closing }

  /// Something is released to the queue; returns whether it is to be made first.
  package mutating func use(_ queue: JobQueue, isServed: Bool) -> Bool {
    // Once: where tellers take turns, one of the queues never has any.
    if !isServed, hurried.insert(queue).inserted { isUrgent = true }
    idleSince[queue] = nil
    guard stages[queue] == nil else { return false }
    stages[queue] = .open
    return true
  }

  /// How many places of a shared window the queue may have: each such queue of its department has the same part of it,
  /// and the department's own keeps as much. Few workers serve it, and what they have not come to yet would keep all
  /// places from other kinds.
  package func limit(of queue: JobQueue, window: Int) -> Int {
    let others = stages.keys.count { $0.department == queue.department && $0 != queue }
    return max(1, window / (others + 2))
  }

  /// Jobs are held for the queue, or may be.
  package mutating func wait(for queue: JobQueue) { waiting.insert(queue) }
  package mutating func nothingWaits(for queue: JobQueue) { waiting.remove(queue) }

  /// The queues of a department for which jobs are held.
  package func waiting(in department: Department) -> [JobQueue] {
    waiting.isEmpty ? [] : waiting.filter { $0.department == department }.sorted()
  }

  /// A new session: all queues are declared anew, and none is being removed. The jobs that are held for them are looked
  /// for.
  package mutating func beginSession() { self = KindQueues(all) }

  /// Whether the tellers are to be shared out now.
  package mutating func isSharingDue(at now: Duration) -> Bool {
    guard !stages.isEmpty else { return false }
    defer { isUrgent = false }
    guard now - sharedAt >= KindQueues.sharingInterval else { return isUrgent }
    hurried = []
    sharedAt = now
    turn += 1
    return true
  }

  /// Closes the queues of `idle` that have been idle for long enough: they are to be removed, and nothing is released
  /// to them any more. For a queue that is not idle the time begins anew.
  package mutating func close(idle: Set<JobQueue>, at now: Duration) -> [JobQueue] {
    for queue in stages.keys where !idle.contains(queue) { idleSince[queue] = nil }
    let closed = idle.filter { queue in
      guard stages[queue] == .open else { return false }
      let since = idleSince[queue] ?? now
      idleSince[queue] = since
      return now - since >= KindQueues.idleLimit
    }
    for queue in closed { stages[queue] = .closing }
    return closed.sorted()
  }

  /// The broker has removed the queue.
  package mutating func removed(_ queue: JobQueue) {
    stages[queue] = nil
    idleSince[queue] = nil
    hurried.remove(queue)
  }
}
