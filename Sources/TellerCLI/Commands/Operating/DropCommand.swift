import ArgumentParser
import Teller

struct DropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Takes failed jobs off the list of `teller failed`.",
    discussion: """
      The ledger keeps them as long as others, and `teller show` and `teller jobs` still show them. A job that was \
      dropped already is left as it is. What was dropped cannot be replayed.

      Named jobs are dropped at once. For --kind, --department and --all: \(ConfirmationOptions.help)

      The exit code is 2 when a job has not failed or was replayed, 66 when one is not known. With --json one object: \
      "changed" [ids], "unchanged" [{"job", "reason", and of one that was replayed "replay": the new job's id}]; the \
      reason is unknown, not_failed (it waits, runs, succeeded or was cancelled), replayed, or dropped (before). \
      Without ids the object that `teller operation --json` prints. \(ConfirmationOptions.jsonHelp)

      EXAMPLES:
        teller drop 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller drop --kind letter --yes --no-wait
      """
  )

  @OptionGroup var selection: SelectionOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await selection.carryOut(.drop, answer) }
}
