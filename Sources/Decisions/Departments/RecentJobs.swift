package import JobModel

/// How many jobs each department has accepted, and how many have ended, in the last minute. Only this type counts them. It
/// has one ring of numbers for each department, however many jobs there are, and knows nothing of the time before this
/// process.
package final class RecentJobs {
  private var rings: [Department: RecentCounts] = [:]

  package init() {}

  /// Counts jobs of a department that were accepted, and that have ended. `now` is on the session's clock.
  package func count(accepted: Int, ended: Int, in department: Department, at now: Duration) {
    guard accepted > 0 || ended > 0 else { return }
    rings[department, default: RecentCounts()].add(.init(accepted: accepted, ended: ended), at: now)
  }

  /// The counts of the last minute.
  package func counts(of department: Department, at now: Duration) -> RecentCounts.Counts {
    rings[department]?.sum(at: now) ?? .init()
  }
}

/// The counts of the last sixty seconds. A pure value.
package struct RecentCounts: Hashable, Sendable {
  package struct Counts: SlotValue {
    package var accepted = 0
    package var ended = 0

    package init() {}

    package init(accepted: Int, ended: Int) { (self.accepted, self.ended) = (accepted, ended) }

    package mutating func add(_ other: Counts) {
      accepted += other.accepted
      ended += other.ended
    }
  }

  /// How many seconds the ring has.
  package static let seconds: Int64 = 60

  private var ring = SlotRing<Counts>(width: 1, slots: Int(seconds))

  package init() {}

  package mutating func add(_ counts: Counts, at now: Duration) { ring.add(counts, at: now) }

  /// The counts of this second and the fifty-nine before it.
  package func sum(at now: Duration) -> Counts { ring.sum(at: now) }
}
