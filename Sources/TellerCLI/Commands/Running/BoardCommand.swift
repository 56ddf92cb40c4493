import ArgumentParser
import Foundation
import JobModel
import Teller

struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board",
    abstract: "Shows the jobs of a department that wait next and those that run, with its forecast.",
    discussion: """
      The waiting jobs are in the order in which they will be served as things are now. A job that is not yet in its queue has \
      the reason in the column HOLD; `teller explain` tells it in full. Short jobs are never seen running.

      The answer comes from the coordinator's memory and from a few rows of its ledger. It costs no more with a million \
      waiting jobs than with a hundred.

      With --json one object: "at_ms", "ledger", "epoch", "through" (the number of the last event before), "counted" \
      (of the last event that the numbers have), "coordinator", "broker", "workers" (how many), "operations", "last_reset", "departments" [{"status" (a department of `teller status --json`), \
      "forecast" (as `teller forecast --json` prints it), "busy_since_ms" (since when jobs wait or run all the time), \
      "last_busy_since_ms", "last_busy_until_ms", "waiting" [{"job", "number", "kind", "priority", "rank", "key", "step", \
      "since_ms", "released", "hold"}], "running" [{"job", "number", "kind", "priority", "key", "step", "attempt", "worker", \
      "worker_name", "started_ms", "progress"}]}]. All departments are there; rows are only of the one that is named.

      \(WatchOptions.help)

      EXAMPLE: teller board loan --watch --interval 1s
      """
  )

  @Argument(help: "The department.")
  var department: Department

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp(
      "At most so many waiting and so many running jobs, \(BoardQuery.limits.written).", valueName: "count"))
  var limit = 20

  @OptionGroup var watching: WatchOptions

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard BoardQuery.limits.contains(limit) else {
      throw ValidationError("--limit is \(BoardQuery.limits.written).")
    }
  }

  func run() async throws {
    if watching.watch { return try await showAgainAndAgain() }
    try await answer.show("board", { try await $0.board(query) }) {
      BoardText.lines($0, of: department, width: TerminalSize.columns)
    }
  }

  private var query: BoardQuery { BoardQuery(departments: [department], limit: limit) }

  private func showAgainAndAgain() async throws {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = LiveView<Board>.patience
    try await answer.global.withClient("board", timeouts: timeouts, isQuiet: true) { client in
      let view = LiveView(interval: watching.pause, json: answer.json) {
        try await client.board(query)
      } lines: { board, width in
        BoardText.lines(board, of: department, width: width)
      }
      try await view.run()
    }
  }
}

/// A board for people.
enum BoardText {
  static func lines(_ board: Board, of department: Department, width: Int?) -> [String] {
    guard let found = board.departments.first(where: { $0.status.department == department }) else { return [] }
    return ForecastText.lines(found) + busy(found, at: board.moment) + [""]
      + (found.waiting.isEmpty ? ["no job waits"] : waiting(found.waiting, at: board.moment).lines(width: width)) + [""]
      + (found.running.isEmpty ? ["no job runs"] : running(found.running, at: board.moment).lines(width: width))
  }

  private static func busy(_ board: DepartmentBoard, at now: Date) -> [String] {
    if let since = board.busySince { return ["  busy for \(time(since, now))"] }
    return board.lastBusy.map { ["  was busy for \(time($0.start, $0.end)), until \(time($0.end, now)) ago"] } ?? []
  }

  private static func waiting(_ rows: [WaitingRow], at now: Date) -> Table {
    var table = Table("WAITS", "JOB", "KIND", "PRIORITY", "HOLD", "KEY")
    for row in rows {
      table.add(
        time(row.waitingSince, now), row.id.description, row.kind.name, "\(row.priority)",
        row.isReleased ? "–" : row.hold?.rawValue ?? "–", row.key ?? row.step ?? "")
    }
    return table
  }

  private static func running(_ rows: [RunningRow], at now: Date) -> Table {
    var table = Table("RUNS", "JOB", "KIND", "WORKER", "ATTEMPT", "KEY")
    for row in rows {
      table.add(
        row.started.map { time($0, now) } ?? "–", row.id.description, row.kind.name,
        row.workerName ?? row.worker?.text ?? "–", String(row.attempt), row.key ?? row.step ?? "")
    }
    return table
  }

  private static func time(_ from: Date, _ to: Date) -> String {
    Duration.milliseconds(max(0, Int64(to.timeIntervalSince(from) * 1_000))).inWords
  }
}
