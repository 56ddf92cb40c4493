import ArgumentParser
import Teller

struct DropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Takes failed jobs off the list of `teller failed`.",
    discussion: """
      The ledger keeps dropped jobs as long as others: `teller show` and `teller jobs` still show them. A dropped job cannot be \
      replayed. A job that was dropped before is left as it is.

      Named jobs are dropped at once. For filters and --all: \(ConfirmationOptions.help)

      The exit code is 2 when a job has not failed or was replayed, and 66 when a job is not known.

      With --json one object. With ids: "changed" [ids], "unchanged" [{"job", "reason", "replay"}]. The reason is unknown, \
      not_failed (the job waits, runs, succeeded or was cancelled), replayed, or dropped (before). "replay" is the id of the \
      new job, when the reason is replayed. Without ids: the object that `teller operation --json` prints. \
      \(ConfirmationOptions.jsonHelp)

      EXAMPLES:
        teller drop 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller drop --kind letter --yes --no-wait
        teller drop --department loan --error bad_customer --dry-run
      """
  )

  @OptionGroup var selection: SelectionOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await selection.carryOut(.drop, answer) }
}
