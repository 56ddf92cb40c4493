import ArgumentParser
import Foundation
import Teller

struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Lists jobs, the newest first.",
    discussion: """
      On a terminal a table of the newest --limit jobs, and below it the command that shows the next page, for as long \
      as there is one; what is accepted meanwhile does not move the pages. In a pipe one job a line, without a header, \
      with tabs between the columns.

      With --json one object a line: "id", "number", "kind", "department", "priority", "state", "attempt", "attempts", \
      "deaths" (of workers while it ran), "plan", "step", "rank", "not_before_ms" (held until then), "start_by_ms", "timeout_ms", "key", "again_of", \
      "replayed_as", "dropped", "submitted_ms", "accepted_ms", "released_ms", "started_ms", "finished_ms" (milliseconds \
      since 1970), "wait_ms", "run_ms", "error"; what a job does not have is left out. The number of the last one is the \
      --before of the next page.

      EXAMPLES:
        teller jobs --department loan --state held
        teller jobs --kind deposit --limit 1000 --before 250000
      """
  )

  @Option(help: "Only jobs of this department.")
  var department: Department?

  @Option(help: "Only jobs in this state: held, queued, running, succeeded, failed, cancelled.")
  var state: JobState?

  @Option(help: "Only jobs of this kind.")
  var kind: JobKind?

  @OptionGroup var page: PageOptions

  func run() async throws {
    let query = JobQuery(department: department, state: state, kind: kind)
    let filter = [("--department", department?.name), ("--state", state?.rawValue), ("--kind", kind?.name)]
    try await page.show(query, command: "jobs", filter, table: JobsTable.table)
  }
}

/// Jobs as rows.
enum JobsTable {
  static func table(_ jobs: [JobRecord], now: Date) -> Table {
    var table = Table("JOB", "KIND", "DEPARTMENT", "PRIO", "STATE", "ATTEMPT", "ACCEPTED", "WAITED", "RAN", "ERROR")
    for job in jobs {
      table.add(
        job.id.description, job.kind.name, job.department.name, job.priority.description, job.state.rawValue,
        "\(job.attempt)/\(job.maxAttempts)", Moments.relative(job.accepted, now: now),
        job.waited.map(\.inWords) ?? "–", job.ran.map(\.inWords) ?? "–",
        job.outcome?.failure?.description ?? "")
    }
    return table
  }
}
