import ArgumentParser
import Foundation
import Teller

struct FailedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "failed",
    abstract: "Lists failed jobs that were neither replayed nor dropped, the newest first.",
    discussion: """
      A job fails when its attempts are used up, when its handler says that trying again cannot help, or when a limit \
      has passed. `teller show` has its attempts, `teller replay` submits it again, `teller drop` takes it off this list.

      On a terminal a table, with the command for the next page below it; in a pipe one job a line, without a header, \
      with tabs between the columns. With --json one object a line, as `teller jobs --json` prints it.

      EXAMPLE: teller failed --kind deposit
      """
  )

  @Option(help: "Only jobs of this kind.")
  var kind: JobKind?

  @Option(help: "Only jobs of this department.")
  var department: Department?

  @OptionGroup var page: PageOptions

  func run() async throws {
    let query = JobQuery(department: department, state: .failed, kind: kind, onlyUnsettled: true)
    let filter = [("--kind", kind?.name), ("--department", department?.name)]
    try await page.show(query, command: "failed", filter, table: FailedTable.table)
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
