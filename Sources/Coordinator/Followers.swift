import JobModel

/// Who else is told the outcome of a job, besides the address that the ledger has: earlier and later submissions of the
/// same job. Memory only: after a restart they ask.
struct Followers: Sendable {
  /// The most of all jobs together; who comes then is not told, and asks.
  static let limit = 10_000

  private var addresses: [JobID: [ReplyAddress]] = [:]
  private var count = 0

  /// An address that is known already is not told twice.
  mutating func add(_ address: ReplyAddress, of job: JobID) {
    guard count < Followers.limit, addresses[job]?.contains(address) != true else { return }
    addresses[job, default: []].append(address)
    count += 1
  }

  /// The job has ended: who is to be told.
  mutating func finished(_ job: JobID) -> [ReplyAddress] {
    guard count > 0, let told = addresses.removeValue(forKey: job) else { return [] }
    count -= told.count
    return told
  }
}
