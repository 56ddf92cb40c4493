package import JobModel

/// The addresses of those who submitted a job or a plan that was submitted again later. The ledger keeps the last
/// address only; these are told the outcome, too. They are in memory alone: after a restart these submitters have to
/// ask.
package struct EarlierSubmitters: Sendable {
  /// The most of all jobs together. A submitter beyond that is not told, and asks.
  package static let limit = 10_000

  private var addresses: [JobID: Set<ReplyAddress>] = [:]
  package private(set) var count = 0

  package init() {}

  /// An address that is known already is not told twice, and one that asked for no outcome is not told at all.
  package mutating func add(_ address: ReplyAddress, of job: JobID) {
    guard address.wait == .outcome, count < EarlierSubmitters.limit else { return }
    if addresses[job, default: []].insert(address).inserted { count += 1 }
  }

  /// How many are to be told of the job.
  package func count(of job: JobID) -> Int { addresses[job]?.count ?? 0 }

  /// The job has ended: these are to be told.
  package mutating func ended(_ job: JobID) -> Set<ReplyAddress> {
    guard count > 0, let told = addresses.removeValue(forKey: job) else { return [] }
    count -= told.count
    return told
  }
}
