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

      A job is listed when it passes every filter. --since and --until are about the time when the job was accepted. \
      --key finds the jobs that were submitted with that key, also when the key is no longer taken; each kind has keys \
      of its own, so --key needs --kind. --plan lists the steps of a plan.

      With --json one object a line: "id", "number", "kind", "department", "priority", "state", "attempt", "attempts", \
      "deaths" (of workers while it ran), "plan", "step", "rank", "not_before_ms" (held until then), "start_by_ms", "timeout_ms", "key", "again_of", \
      "replayed_as", "dropped", "submitted_ms", "accepted_ms", "released_ms", "started_ms", "finished_ms" (milliseconds \
      since 1970), "wait_ms", "run_ms", "error"; what a job does not have is left out. The number of the last one is the \
      --before of the next page.

      EXAMPLES:
        teller jobs --department loan --state held
        teller jobs --since 2h --error timeout
        teller jobs --kind invoice --key A-17
        teller jobs --kind deposit --limit 1000 --before 250000
      """
  )

  @OptionGroup var filter: JobFilterOptions

  @Option(name: .shortAndLong, help: "Only jobs in this state: held, queued, running, succeeded, failed, cancelled.")
  var state: JobState?

  @Option(help: "Only jobs with this key; with --kind.")
  var key: String?

  @Option(help: ArgumentHelp("Only the steps of this plan.", valueName: "id"))
  var plan: JobID?

  @OptionGroup var page: PageOptions

  func validate() throws {
    if key != nil, filter.kind == nil { throw ValidationError("--key needs --kind: each kind has keys of its own.") }
    try query(now: .now()).validate()
  }

  func run() async throws {
    let now = Timestamp.now()
    let given = filter.given(now: now) + [("--state", state?.rawValue), ("--key", key), ("--plan", plan?.description)]
    try await page.show(query(now: now), command: "jobs", given, table: JobsTable.table)
  }

  private func query(now: Timestamp) -> JobQuery {
    var query = filter.query(now: now)
    (query.state, query.key, query.plan) = (state, key, plan)
    return query
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
