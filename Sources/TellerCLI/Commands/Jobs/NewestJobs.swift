import Foundation
import Teller

/// The newest jobs that pass the filters, as one picture of `jobs --watch` has them. In JSON an array.
struct NewestJobs: Encodable, Sendable {
  /// The most pages that are asked for one picture: among millions of jobs a few may have a rare error code, and the
  /// next picture asks again.
  static let mostPages = 10

  let jobs: [JobRecord]
  /// Jobs with a lower number were not looked at; nil: every job was looked at, or the list is full.
  let lowestNumber: Int64?

  /// Asks for pages until the list is full, or nothing follows, or `mostPages` have been asked.
  static func read(
    _ query: JobQuery, limit: Int, ask: (JobQuery) async throws -> JobPage
  ) async throws -> NewestJobs {
    var query = query
    var jobs: [JobRecord] = []
    for _ in 1...mostPages {
      let missing = limit - jobs.count
      // Running jobs are found among queued ones: a small page of those may have none.
      query.limit = query.state == .running ? JobQuery.limits.upperBound : min(missing, JobQuery.limits.upperBound)
      let page = try await ask(query)
      jobs += page.jobs.prefix(missing)
      query.before = page.next
      if jobs.count == limit || page.next == nil { return NewestJobs(jobs: jobs, lowestNumber: nil) }
    }
    return NewestJobs(jobs: jobs, lowestNumber: query.before)
  }

  /// How far was looked; nil: nothing is missing.
  var note: String? {
    lowestNumber.map { "jobs with a number below \($0) were not looked at; `teller jobs` without --watch looks at all" }
  }

  /// The rows, and below them the note.
  func lines(now: Date, width: Int?) -> [String] {
    JobsTable.table(jobs, now: now).lines(width: width) + (note.map { [$0] } ?? [])
  }

  func encode(to encoder: any Encoder) throws { try jobs.encode(to: encoder) }
}
