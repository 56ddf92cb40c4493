package import JobModel

/// Which queues a coordinator asks for, and in which of them a release may be lost: those that were empty at two looks,
/// one after the other. What a worker takes and gives back at once is in its hands at one of them.
package struct TwoLooks: Hashable, Sendable {
  /// The queues that were empty at the first look. Nil: it is still to come.
  private var empty: Set<JobQueue>?

  package init() {}

  /// Whether the second look is due.
  package var isHalfway: Bool { empty != nil }

  /// The queues to look at, of those in which something has been waiting for long.
  package func queues(of suspects: Set<JobQueue>) -> Set<JobQueue> { empty?.intersection(suspects) ?? suspects }

  /// What a look has shown.
  ///
  /// - Parameter found: The queues, of those to look at, in which no message waits.
  /// - Returns: The queues in which a release may be lost; nil after a first look. The next look is a first one again.
  package mutating func looked(_ found: Set<JobQueue>) -> Set<JobQueue>? {
    guard isHalfway else {
      empty = found
      return nil
    }
    empty = nil
    return found
  }
}
