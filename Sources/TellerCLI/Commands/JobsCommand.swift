import ArgumentParser
import Foundation
import JobTransport
import Teller

/// `teller jobs`: a list.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Lists jobs, the newest first.",
    discussion: """
      On a terminal a table; in a pipe one job a line, without a header, with tabs between the columns. With --json one \
      object a line: "id", "number", "kind", "department", "priority", "state", "attempt", "attempts", "plan", "step", \
      "rank", "submitted_ms", "accepted_ms", "released_ms", "started_ms", "finished_ms" (milliseconds since 1970), \
      "wait_ms", "run_ms", "error"; what a job does not have is left out.

      EXAMPLE: teller jobs --department loan --state failed
      """
  )

  @Option(help: "Only jobs of this department.")
  var department: Department?

  @Option(help: "Only jobs in this state: held, queued, running, succeeded, failed, cancelled.")
  var state: JobState?

  @Option(help: "Only jobs of this kind.")
  var kind: JobKind?

  @Option(help: "At most so many jobs, 1–1000000.")
  var limit = 50

  @Option(help: "Only jobs with a lower number, to go on after an earlier list.")
  var before: Int64?

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is between 1 and 1000000.") }
  }

  func run() async throws {
    try await global.withClient("jobs") { client in
      var left = limit
      var next = before
      var isFirst = true
      while left > 0, isFirst || next != nil {
        isFirst = false
        let page = try await client.jobs(query(limit: min(left, JobsQuery.limits.upperBound), before: next))
        try show(page.jobs)
        left -= page.jobs.count
        next = page.jobs.isEmpty ? nil : page.next
      }
      if let next, !json, TerminalSize.columns != nil { Output.note("there are more: add --before \(next)") }
    }
  }

  private func query(limit: Int, before: Int64?) -> JobsQuery {
    JobsQuery(department: department, state: state, kind: kind, limit: limit, before: before)
  }

  private func show(_ jobs: [JobDocument]) throws {
    if json {
      for job in jobs { try Output.json(job) }
    } else if !jobs.isEmpty {
      for line in JobsTable.table(jobs, now: Date()).lines(width: TerminalSize.columns) { Output.line(line) }
    }
  }
}

/// Jobs as rows.
enum JobsTable {
  static func table(_ jobs: [JobDocument], now: Date) -> Table {
    var table = Table("JOB", "KIND", "DEPARTMENT", "PRIO", "STATE", "ATTEMPT", "ACCEPTED", "WAITED", "RAN", "ERROR")
    for job in jobs {
      let accepted = Date(timeIntervalSince1970: Double(job.acceptedAt.milliseconds) / 1000)
      table.add(
        job.id.description, job.kind.name, job.department.name, job.priority.description, job.state.rawValue,
        "\(job.attempt)/\(job.attempts)", Moments.relative(accepted, now: now),
        job.waitMs.map(Moments.duration) ?? "–", job.runMs.map(Moments.duration) ?? "–", job.error?.description ?? "")
    }
    return table
  }
}
