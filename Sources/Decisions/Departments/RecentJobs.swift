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

/// A ring with the counts of each of the last sixty seconds. A pure value.
package struct RecentCounts: Hashable, Sendable {
  package struct Counts: Hashable, Sendable {
    package var accepted = 0
    package var ended = 0

    package init(accepted: Int = 0, ended: Int = 0) { (self.accepted, self.ended) = (accepted, ended) }

    fileprivate static func + (left: Counts, right: Counts) -> Counts {
      Counts(accepted: left.accepted + right.accepted, ended: left.ended + right.ended)
    }
  }

  /// How many seconds the ring has.
  package static let seconds: Int64 = 60

  /// The counts of a second stand at the remainder of its number.
  private var slots = [Counts](repeating: Counts(), count: Int(seconds))
  /// The second that was counted last.
  private var last = Int64.min

  package init() {}

  package mutating func add(_ counts: Counts, at now: Duration) {
    goOn(to: now.components.seconds)
    slots[RecentCounts.slot(last)] = slots[RecentCounts.slot(last)] + counts
  }

  /// The counts of this second and the fifty-nine before it.
  package func sum(at now: Duration) -> Counts {
    var ring = self
    ring.goOn(to: now.components.seconds)
    return ring.slots.reduce(Counts(), +)
  }

  /// Forgets the seconds that have left the ring. A second that is over already counts as the last one.
  private mutating func goOn(to second: Int64) {
    guard second > last else { return }
    let first = max(last.clampedAdding(1), second - RecentCounts.seconds + 1)
    for passed in first...second { slots[RecentCounts.slot(passed)] = Counts() }
    last = second
  }

  private static func slot(_ second: Int64) -> Int {
    let rest = Int(second % seconds)
    return rest < 0 ? rest + Int(seconds) : rest
  }
}
