package import JobModel

/// For which jobs others may wait, so that the ledger is not asked about those for which nobody does. Of a fixed size:
/// jobs share its places, so it may say yes of a job for which nobody waits, but never no of one for which somebody does.
package struct WaitedFor: Sendable {
  /// A power of two. With so many dependencies, two of three answers are needless; with a tenth of them, one of ten.
  package static let places = 1 << 16

  /// How many dependencies are open.
  package private(set) var count = 0
  /// Of each place; empty before the first one.
  private var counts: [UInt32] = []

  package init() {}

  package mutating func add(_ job: JobID) {
    if counts.isEmpty { counts = Array(repeating: 0, count: WaitedFor.places) }
    count += 1
    counts[place(of: job)] += 1
  }

  /// Only of what was added.
  package mutating func remove(_ job: JobID) {
    count -= 1
    counts[place(of: job)] -= 1
  }

  package func mayContain(_ job: JobID) -> Bool { count > 0 && counts[place(of: job)] > 0 }

  /// By a hash that nobody else knows: ids that were chosen to share a place do not.
  private func place(of job: JobID) -> Int { job.hashValue & (WaitedFor.places - 1) }
}
