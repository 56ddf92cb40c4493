import ArgumentParser
import Foundation
import Teller

struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Lists jobs, the newest first.",
    discussion: """
      On a terminal the command prints a table of the newest jobs, and the command for the next page. Jobs that are accepted \
      meanwhile do not move the pages. In a pipe each job is one line, without a header, with tabs between the columns.

      A job is listed when it passes every filter. --since and --until are about the time when the job was accepted. --key finds \
      the jobs that were submitted with that key, also when the key is no longer taken. Each kind has keys of its own, so --key \
      needs --kind. --plan lists the steps of a plan.

      \(WatchOptions.help) With --watch --json each answer is one line with an array of jobs.

      With --watch the command looks at the newest jobs only, \(NewestJobs.mostPages) pages for one answer. When more jobs \
      may pass the filters, a line tells how far the command has looked. Without --watch the command looks at all jobs.

      With --json one object a line: "id", "number", "kind", "department", "priority", "state", "attempt", "attempts", "deaths" \
      (of workers while the job ran), "plan", "step", "rank", "not_before_ms" (held until then), "start_by_ms", "timeout_ms", \
      "key", "again_of", "replayed_as", "dropped", "handled", "submitted_ms", "accepted_ms", "released_ms", "started_ms", \
      "finished_ms" (milliseconds since 1970), "wait_ms", "run_ms", "error". A member without a value is left out. --before with the "number" of \
      the last job shows the next page.

      EXAMPLES:
        teller jobs --department loan --state held
        teller jobs --since 2h --error timeout
        teller jobs --kind invoice --key A-17
        teller jobs --kind deposit --limit 1000 --before 250000
        teller jobs -s running --watch
      """
  )

  @OptionGroup var filter: JobFilterOptions

  @Option(name: .shortAndLong, help: "Only jobs in this state: held, queued, running, succeeded, failed, cancelled.")
  var state: JobState?

  @Option(help: "Only jobs with this key; with --kind.")
  var key: String?

  @Option(help: ArgumentHelp("Only the steps of this plan.", valueName: "id"))
  var plan: JobID?

  @OptionGroup var watching: WatchOptions

  @OptionGroup var page: PageOptions

  func validate() throws {
    if key != nil, filter.kind == nil { throw ValidationError("--key needs --kind: each kind has keys of its own.") }
    if watching.watch, page.before != nil {
      throw ValidationError("--watch shows the newest jobs: leave out --before.")
    }
    try query(now: .now()).validate()
  }

  func run() async throws {
    if watching.watch { return try await showAgainAndAgain() }
    let now = Timestamp.now()
    let given = filter.given(now: now) + [("--state", state?.rawValue), ("--key", key), ("--plan", plan?.description)]
    try await page.show(query(now: now), command: "jobs", given, table: JobsTable.table)
  }

  /// The query is made anew each time: `--since 2h` goes with the time.
  private func showAgainAndAgain() async throws {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = LiveView<NewestJobs>.patience
    try await page.global.withClient("jobs", timeouts: timeouts, isQuiet: true) { client in
      let view = LiveView(interval: watching.pause, json: page.json) {
        let newest = try await NewestJobs.read(query(now: .now()), limit: pictureLimit, ask: client.jobs)
        if page.json, let note = newest.note { Output.note(note) }
        return newest
      } lines: { newest, width in
        newest.lines(now: Date(), width: width)
      }
      try await view.run()
    }
  }

  /// How many jobs one picture has. On a terminal two lines are for the time, and one is for the header.
  private var pictureLimit: Int {
    guard let rows = TerminalSize.rows, !page.json else { return page.limit }
    return max(1, min(page.limit, rows - 3))
  }

  private func query(now: Timestamp) -> JobQuery {
    var query = filter.query(now: now)
    (query.state, query.key, query.plan) = (state, key, plan)
    return query
  }
}
