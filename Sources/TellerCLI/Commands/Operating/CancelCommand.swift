import ArgumentParser
import Teller

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancels jobs that wait or run.",
    discussion: """
      A job that waits is never started. Of one that runs the handler's task is cancelled; the job's outcome is \
      cancelled, whatever its handler then does. Jobs that are submitted afterwards are not part of it.

      With the ids of jobs it prints a line for each that was cancelled; what is left as it is stands on standard error, \
      and the exit code is 2 when a job had ended, 66 when one is not known. Otherwise the coordinator works in steps; \
      how far it is stands on a terminal on one line, and in a pipe there is only the line at the end. Ctrl-C ends the \
      waiting, not the cancelling. --all says how many jobs are held, queued and running, and asks. \
      \(ConfirmationOptions.exitCodes)

      With --json one object: "changed" [ids], "unchanged" [{"job", "reason": unknown or ended}]; without ids the object \
      that `teller operation --json` prints.

      EXAMPLES:
        teller cancel 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller cancel --department loan --kind letter
        teller cancel --all --yes
      """
  )

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var confirmation: ConfirmationOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    if selection.all { try confirmation.checkAnswerable() }
    try await answer.global.withClient("cancel", timeouts: OutcomeWait.timeouts()) { client in
      if selection.all {
        try await confirmation.confirm {
          "Cancel all jobs (\(ConfirmationText.open(try await client.status().departments)))?"
        }
      }
      try await selection.carryOut(.cancel, client, json: answer.json)
    }
  }
}
