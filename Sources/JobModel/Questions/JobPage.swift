/// A part of a list of jobs, the newest first.
///
///     var query = JobQuery(department: "loan", state: .held)
///     repeat {
///       let page = try await client.jobs(query)
///       for job in page.jobs { print(job.id, job.accepted) }
///       query.before = page.next
///     } while query.before != nil
public struct JobPage: Hashable, Sendable, Codable {
  /// The jobs, without attempts and results. A page may have fewer jobs than asked for, even none, and not be the last.
  public var jobs: [JobRecord]
  /// The ``JobQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(jobs: [JobRecord], next: Int64?) {
    self.jobs = jobs
    self.next = next
  }
}
