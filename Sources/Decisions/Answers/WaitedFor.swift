package import JobModel

/// The jobs that other jobs may wait for, so that the ledger is not asked about every job that ends. It has a fixed
/// number of places, which jobs share. So it may say yes of a job that nobody waits for; it never says no of a job that
/// somebody waits for.
package struct WaitedFor: Sendable {
  /// A power of two. With so many dependencies, two of three answers are needless; with a tenth of them, one of ten.
  package static let places = 1 << 16

  /// How many dependencies are open.
  package private(set) var count = 0
  /// How many dependencies each place has; empty before the first dependency.
  private var counts: [UInt32] = []

  package init() {}

  package mutating func add(_ job: JobID) {
    if counts.isEmpty { counts = Array(repeating: 0, count: WaitedFor.places) }
    count += 1
    counts[place(of: job)] += 1
  }

  /// Removes a dependency that was added before.
  package mutating func remove(_ job: JobID) {
    count -= 1
    counts[place(of: job)] -= 1
  }

  package func mayContain(_ job: JobID) -> Bool { count > 0 && counts[place(of: job)] > 0 }

  /// By a hash that nobody else knows: ids that were chosen to share a place do not.
  private func place(of job: JobID) -> Int { job.hashValue & (WaitedFor.places - 1) }
}
