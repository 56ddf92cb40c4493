import ArgumentParser
import JobModel
import Teller

struct ForecastCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Tells when a department will be through, and what one more teller would change.",
    discussion: """
      The forecast takes for granted that arrivals, runs and tellers stay as they were in the last minutes. It counts the jobs \
      that wait or run, and none that is held until a time, or until other jobs have ended. It does not know which of the jobs \
      to come will be more urgent. Therefore the last line says how wrong the last forecasts were.

        idle       no job waits or runs, and none has come
        drains     jobs wait, and fewer come than are served
        grows      more jobs come than can be served
        steady     the tellers keep up; a job waits so long on average
        silent     no forecast, and the reason

      A forecast needs \(DepartmentForecast.fewestSamples) runs. They are taken from the last five minutes; if there are fewer, \
      from the last hour. A coordinator that has just become the active one has seen none.

      With --json one object a department: "department", "course" (a word of the table), "reason" (of silent: "few_samples", \
      "no_tellers", "blocked" or "closed"), "samples", "accepted_per_hour", "capacity_per_hour", "load_permille" (above 1000 more jobs come \
      than can be served; left out where the last minute does not bear the arrivals out), "drains_in_ms" (when all jobs that wait or run now are done), "drains_in_with_one_more_ms", \
      "empties_in_ms", "grows_per_hour", "wait_ms", "wait_with_one_more_ms", "past" {"count", "median_permille", \
      "worst_permille"}.

      \(WatchOptions.help)

      EXAMPLES:
        teller forecast loan
        teller forecast loan --watch
      """
  )

  @Argument(help: "The department; none: all departments.")
  var department: Department?

  @OptionGroup var watching: WatchOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    if watching.watch { return try await showAgainAndAgain() }
    let forecasts = try await answer.global.withClient("forecast") { try await Forecasts(of: department, $0) }
    if answer.json { return try forecasts.documents.forEach(Output.json) }
    forecasts.lines.forEach(Output.line)
  }

  private func showAgainAndAgain() async throws {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = LiveView<Forecasts>.patience
    try await answer.global.withClient("forecast", timeouts: timeouts, isQuiet: true) { client in
      let view = LiveView(interval: watching.pause, json: answer.json) {
        try await Forecasts(of: department, client)
      } lines: { forecasts, _ in
        forecasts.lines
      }
      try await view.run()
    }
  }
}

/// The forecasts of some departments.
struct Forecasts: Encodable, Sendable {
  let boards: [DepartmentBoard]

  init(of department: Department?, _ client: TellerClient) async throws {
    // The rows are not needed; to name the department has the coordinator say when it does not know it.
    let board = try await client.board(BoardQuery(departments: department.map { [$0] } ?? [], limit: 1))
    boards = board.departments.filter { department == nil || $0.status.department == department }
  }

  var lines: [String] { boards.isEmpty ? ["no departments"] : boards.flatMap(ForecastText.lines) }
  var documents: [Document] { boards.map(Document.init) }

  /// One forecast, as `--json` prints it.
  struct Document: Encodable {
    let board: DepartmentBoard

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(board.status.department, forKey: .department)
      try board.forecast.encode(to: encoder)
    }

    private enum Member: String, CodingKey {
      case department
    }
  }

  func encode(to encoder: any Encoder) throws { try documents.encode(to: encoder) }
}
