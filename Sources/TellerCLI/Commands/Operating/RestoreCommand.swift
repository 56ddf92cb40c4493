import ArgumentParser
import Teller

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Releases or cancels the jobs that are held since the ledger was restored.",
    discussion: """
      When the ledger is put back to an older copy, the coordinator holds what may have run already: jobs whose time came \
      since the backup, by --at, --delay, a retry or a snooze, and the firings of schedules since the backup. Their hold is \
      `restored`. `teller status` counts them, `teller jobs --state held` lists them, and `teller explain` explains one.

      They are held until an operator decides. With `after_restore: run` in the coordinator's teller.yaml they run at once.

      EXAMPLE: teller restore accept --dry-run
      """,
    subcommands: [RestoreAcceptCommand.self, RestoreDropCommand.self])
}

struct RestoreAcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Releases the jobs that are held since the ledger was restored.",
    discussion: """
      Jobs that have run before the restore run again. A job whose latest start has passed fails with too_late.

      With --json one object, as `teller operation --json` prints it. \(RestoreOptions.jsonHelp)

      EXAMPLES:
        teller restore accept --dry-run
        teller restore accept --kind letter
      """)

  @OptionGroup var options: RestoreOptions

  @Flag(help: "Only print the number of jobs. Change none of them.")
  var dryRun = false

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.global.withClient("restore accept", timeouts: OutcomeWait.timeouts()) { client in
      if dryRun {
        let count = try await client.count(options.scope, for: .acceptRestored)
        return try answer.json ? Output.json(count) : Output.line(CountText.line(count))
      }
      let operation = try await client.acceptRestored(options.scope)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: options.noWait)
    }
  }
}

struct RestoreDropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Cancels the jobs that are held since the ledger was restored.",
    discussion: """
      The jobs never run. They are recorded as cancelled, and jobs that wait for them end by --after-failed.

      \(ConfirmationOptions.help)

      With --json one object, as `teller operation --json` prints it. \(RestoreOptions.jsonHelp)

      EXAMPLE: teller restore drop --department letters --yes
      """)

  @OptionGroup var options: RestoreOptions

  @OptionGroup var confirmation: ConfirmationOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try confirmation.checkAnswerable()
    try await answer.global.withClient("restore drop", timeouts: OutcomeWait.timeouts()) { client in
      guard try await confirmation.confirm(.dropRestored, options.scope, client, json: answer.json) else { return }
      let operation = try await client.dropRestored(options.scope)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: options.noWait)
    }
  }
}

/// Which of the jobs a command is about: all, unless a filter is given.
struct RestoreOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only jobs of this kind.")
  var kind: JobKind?

  @Option(name: .shortAndLong, help: "Only jobs of this department.")
  var department: Department?

  @Flag(help: "Return at once. The coordinator goes on, and `teller operation` shows the progress.")
  var noWait = false

  var scope: JobScope { kind.map { .kind($0, in: department) } ?? department.map { .department($0) } ?? .all }

  static let jsonHelp = """
    With --dry-run the object is {"action", "department", "kind", "jobs", "held", "queued", "running", "failed", "plans"}.
    """
}
