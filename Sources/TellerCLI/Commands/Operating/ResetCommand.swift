import ArgumentParser
import Teller

struct ResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Cancels everything that waits and runs, plans included.",
    discussion: """
      As `teller cancel --all`, and the plans that have not ended are cancelled as a whole. What is recorded stays, \
      departments that are paused stay paused, and keys stay taken. It says how many jobs are held, queued and \
      running, and asks. \(ConfirmationOptions.exitCodes)

      With --json one object, as `teller operation --json` prints it.

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
      try await confirmation.confirm {
        "Cancel all jobs (\(ConfirmationText.open(try await client.status().departments))), and all open plans?"
      }
      try await OperationWait(client: client, json: answer.json).follow(try await client.reset(), noWait: noWait)
    }
  }
}
