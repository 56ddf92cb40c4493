import JobModel

/// Who else is told the outcome of a job, or plan, besides the address that the ledger has: earlier submissions of what
/// was accepted and has not ended. Memory only: after a restart they ask.
struct Followers: Sendable {
  /// The most of all jobs together; who comes then is not told, and asks.
  static let limit = 10_000

  private var addresses: [JobID: Set<ReplyAddress>] = [:]
  private(set) var count = 0

  /// An address that is known already is not told twice, and one that asked for no outcome is not told at all.
  mutating func add(_ address: ReplyAddress, of job: JobID) {
    guard address.wait == .outcome, count < Followers.limit else { return }
    if addresses[job, default: []].insert(address).inserted { count += 1 }
  }

  /// The job has ended: who is to be told.
  mutating func finished(_ job: JobID) -> Set<ReplyAddress> {
    guard count > 0, let told = addresses.removeValue(forKey: job) else { return [] }
    count -= told.count
    return told
  }
}
