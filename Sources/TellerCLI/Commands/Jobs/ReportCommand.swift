import ArgumentParser
import Foundation
import JobModel
import Teller

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Sums up the jobs that have ended, by department.",
    discussion: """
      A first table has, for each department, how many jobs succeeded, failed and were cancelled, and how many attempts were \
      made after first attempts.

      A second table has times. "waited" is the time from the acceptance to the start of the last attempt. "ran" is the time of \
      that attempt. P50: half of the jobs took at most this long. P90: nine in ten. P99: 99 in a hundred.

      At most \(JobReport.jobLimit) jobs count, the latest ones; a note tells when there were more.

      With --json one object: "from_ms", "until_ms", "lines" [{"department", "succeeded", "failed", "cancelled", "retries", \
      "waited_ms" and "ran_ms" {"p50", "p90", "p99", "max", "sum"}}], "truncated", "epoch" and "through" (the number of the last event before).

      EXAMPLES:
        teller report --since 1h
        teller report --since 2026-03-01T00:00:00Z --department loan
        teller report --plan 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
      """
  )

  @Option(
    help: ArgumentHelp(
      "Jobs that ended since then: how long ago, such as 1h, or a moment.", valueName: "1h|\(Timestamp.argumentName)"))
  var since: SinceArgument?

  @Option(help: ArgumentHelp("The steps of this plan.", valueName: "id"))
  var plan: JobID?

  @Option(name: .shortAndLong, help: "Only this department.")
  var department: Department?

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard (since == nil) != (plan == nil) else { throw ValidationError("Give --since or --plan.") }
  }

  func run() async throws {
    let report = try await answer.global.withClient("report", report)
    if answer.json { return try Output.json(report) }
    for line in ReportText.lines(report, now: Date(), width: TerminalSize.columns) { Output.line(line) }
    if report.isTruncated { Output.note("only the latest \(JobReport.jobLimit) jobs were looked at") }
  }

  private func report(_ client: TellerClient) async throws -> JobReport {
    if let plan { return try await client.report(plan: plan, department: department) }
    return try await client.report(since: (since?.moment(now: .now()) ?? .now()).date, department: department)
  }
}

/// A report for people.
enum ReportText {
  static func lines(_ report: JobReport, now: Date, width: Int?) -> [String] {
    guard let from = report.from, let until = report.until, !report.lines.isEmpty else { return ["nothing has ended"] }
    let lines = report.lines.sorted { $0.department < $1.department }
    return [
      "from  \(Moments.text(from, now: now))", "until \(Moments.text(until, now: now))", "",
    ] + counts(lines).lines(width: width ?? .max) + [""] + times(lines).lines(width: width ?? .max)
  }

  private static func counts(_ lines: [JobReport.Line]) -> Table {
    var table = Table("DEPARTMENT", "SUCCEEDED", "FAILED", "CANCELLED", "RETRIES")
    for line in lines {
      table.add([line.department.name] + [line.succeeded, line.failed, line.cancelled, line.retries].map(String.init))
    }
    return table
  }

  private static func times(_ lines: [JobReport.Line]) -> Table {
    var table = Table("DEPARTMENT", "", "P50", "P90", "P99", "MAX")
    for line in lines {
      for (name, times) in [("waited", line.waited), ("ran", line.ran)] {
        let values = times.map { [$0.median, $0.p90, $0.p99, $0.longest].map(\.inWords) }
        table.add([line.department.name, name] + (values ?? Array(repeating: "–", count: 4)))
      }
    }
    return table
  }
}
