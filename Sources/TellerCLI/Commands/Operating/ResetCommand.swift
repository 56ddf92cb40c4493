import ArgumentParser
import Teller

struct ResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Cancels everything that waits and runs, plans included.",
    discussion: """
      As `teller cancel --all`, and the plans that have not ended are cancelled as a whole. What is recorded stays, \
      departments that are paused stay paused, and keys stay taken.

      \(ConfirmationOptions.help)

      With --json one object, as `teller operation --json` prints it. \(ConfirmationOptions.jsonHelp)

      EXAMPLE: teller reset --yes
      """
  )

  @OptionGroup var confirmation: ConfirmationOptions

  @Flag(help: "Return at once: the coordinator goes on by itself, and `teller operation` tells how far it is.")
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
