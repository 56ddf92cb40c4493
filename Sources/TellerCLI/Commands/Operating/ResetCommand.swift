import ArgumentParser
import JobTransport
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
        let status = try await client.ask(.status, StatusDocument.self)
        return "Cancel all jobs (\(ConfirmationText.open(status.departments))), and all open plans?"
      }
      let operation: OperationDocument = try await client.command(.reset)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: noWait)
    }
  }
}
