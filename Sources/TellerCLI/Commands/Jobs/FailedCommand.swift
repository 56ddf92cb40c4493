import ArgumentParser
import Foundation
import Teller

struct FailedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "failed",
    abstract: "Lists failed jobs that were neither replayed nor dropped, the newest first.",
    discussion: """
      A job fails when its attempts are used up, when its handler says that another attempt cannot help, or when a time limit \
      has passed. `teller show` shows the attempts of a job. `teller replay` submits the job again. `teller drop` takes it off \
      this list. --since and --until are about the time when a job was accepted.

      On a terminal the command prints a table, and the command for the next page. In a pipe each job is one line, without a \
      header, with tabs between the columns. With --json each job is one object, as in `teller jobs --json`.

      With --by-error there is one line for each department, kind and error code, the largest count first. A line has the number \
      of jobs, the time of the newest failure, and the id of that job. All jobs that pass the filters are counted. --limit is \
      the number of lines. With --json one object a line: "department", "kind", "error", "jobs", "newest_ms" (milliseconds since 1970), \
      "example".

      EXAMPLES:
        teller failed --kind deposit
        teller failed --by-error --since 24h
        teller failed --department loan --error timeout
      """
  )

  @OptionGroup var filter: JobFilterOptions

  @Flag(help: "Count the jobs by department, kind and error code, instead of listing them.")
  var byError = false

  @OptionGroup var page: PageOptions

  func validate() throws { try filter.query(now: .now()).validate() }

  func run() async throws {
    let now = Timestamp.now()
    var query = filter.query(now: now)
    if byError { return try await FailureList(page: page).show(query) }
    (query.state, query.onlyUnsettled) = (.failed, true)
    try await page.show(query, command: "failed", filter.given(now: now), table: FailedTable.table)
  }
}

/// Failed jobs as rows.
enum FailedTable {
  static func table(_ jobs: [JobRecord], now: Date) -> Table {
    var table = Table("JOB", "KIND", "DEPARTMENT", "ATTEMPTS", "FAILED", "ERROR")
    for job in jobs {
      table.add(
        job.id.description, job.kind.name, job.department.name, "\(job.attempt)/\(job.maxAttempts)",
        job.finished.map { Moments.relative($0, now: now) } ?? "–", job.outcome?.failure?.description ?? "")
    }
    return table
  }
}
