import ArgumentParser
import Teller

struct ResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Cancels all jobs that wait or run, and all plans that run.",
    discussion: """
      The command does the same as `teller cancel --all`. Departments that are paused stay paused, keys stay taken, \
      and the ledger keeps what is recorded. A plan that is open stays open, with its gates. `teller keys reset` resets keys.

      \(ConfirmationOptions.help)

      With --json one object, as `teller operation --json` prints it. \(ConfirmationOptions.jsonHelp)

      EXAMPLE: teller reset --yes
      """
  )

  @OptionGroup var confirmation: ConfirmationOptions

  @Flag(help: "Return at once. The coordinator goes on, and `teller operation` shows the progress.")
  var noWait = false

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try confirmation.checkAnswerable()
    try await answer.global.withClient("reset", timeouts: OutcomeWait.timeouts()) { client in
      guard try await confirmation.confirm(.reset, .all, client, json: answer.json) else { return }
      try await OperationWait(client: client, json: answer.json).follow(try await client.reset(), noWait: noWait)
    }
  }
}
