import ArgumentParser
import Foundation
import Teller

struct SchedulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedules",
    abstract: "Lists the schedules, with the next firing, the last firing and its job.",
    discussion: """
      The schedules are those of the coordinator's teller.yaml, by name. The last firing has no job when it was missed \
      and skipped, when its job was rejected, or when the job was removed from the ledger since.

      On a terminal the command prints a table. In a pipe each schedule is one line, without a header, with tabs between the \
      columns.

      With --json one object a line: "name", "cron", "time_zone", "kind", "department" (left out when the kind decides), \
      "next_ms", "last_ms" (milliseconds since 1970), "last_job", "last_state".

      EXAMPLE: teller schedules
      """
  )

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let schedules = try await answer.global.withClient("schedules") { try await $0.schedules() }
    try answer.list(schedules, table: SchedulesText.table(schedules, now: Date()), none: "no schedules")
  }
}

/// Schedules as rows.
enum SchedulesText {
  static func table(_ schedules: [ScheduleStatus], now: Date) -> Table {
    var table = Table("SCHEDULE", "CRON", "TIME ZONE", "KIND", "NEXT", "LAST", "JOB", "STATE")
    for schedule in schedules {
      table.add(
        schedule.name, schedule.expression, schedule.timeZone, schedule.kind.name,
        schedule.next.map { Moments.relative($0, now: now) } ?? "–",
        schedule.last.map { Moments.relative($0, now: now) } ?? "–", schedule.lastJob?.description ?? "–",
        schedule.lastState?.rawValue ?? "–")
    }
    return table
  }
}
