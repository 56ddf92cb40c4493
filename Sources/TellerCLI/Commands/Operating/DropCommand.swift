import ArgumentParser
import Teller

struct DropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Takes failed jobs off the list of `teller failed`.",
    discussion: """
      The ledger keeps them as long as others, and `teller show` and `teller jobs` still show them. A job that was \
      dropped already is left as it is. What was dropped cannot be replayed: --all says how many jobs that is, and \
      asks. \(ConfirmationOptions.exitCodes)

      The exit code is 2 when a job has not failed or was replayed, 66 when one is not known. With --json one object: \
      "changed" [ids], "unchanged" [{"job", "reason", and of one that was replayed "replay": the new job's id}]; the \
      reason is unknown, not_failed (it waits, runs, succeeded or was cancelled), replayed, or dropped (before). \
      Without ids the object that `teller operation --json` prints.

      EXAMPLES:
        teller drop 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller drop --kind letter --no-wait
      """
  )

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var confirmation: ConfirmationOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    if selection.all { try confirmation.checkAnswerable() }
    try await answer.global.withClient("drop", timeouts: OutcomeWait.timeouts()) { client in
      if selection.all {
        try await confirmation.confirm {
          let query = JobQuery(state: .failed, limit: JobQuery.limits.upperBound, onlyUnsettled: true)
          return "Drop all failed jobs (\(ConfirmationText.failed(try await client.jobs(query))))?"
        }
      }
      try await selection.carryOut(.drop, client, json: answer.json)
    }
  }
}
