import ArgumentParser
import Teller

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Submits failed jobs again, each once.",
    discussion: """
      A job that has ended never runs again. Its replay is a new job with a new id; `teller show` of each names the other. The \
      new job:

        keeps       kind, department, priority, payload, timeout, trace,
                    and the number of attempts
        loses       the key, the time, the dependencies, the place in a plan
        starts by   `start_within:` of its kind, counted from the replay

      The submitter of the old job is not told of the new job. A job that was replayed or dropped before is left as it is. So \
      the command may be repeated.

      Named jobs are replayed at once, with a line for each that has the id of the new job. For filters and --all: \
      \(ConfirmationOptions.help)

      The exit code is 2 when a job has not failed or was dropped, and 66 when a job is not known.

      With --json one object. With ids: "changed" [ids], "replays" [the new ids, in the same order], "unchanged" [{"job", \
      "reason": unknown, not_failed, replayed, dropped or no_department, "replay"}]. "replay" is the id of the new job, when the \
      reason is replayed. Without ids: the object that `teller operation --json` prints. \(ConfirmationOptions.jsonHelp)

      EXAMPLES:
        teller replay 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller replay --kind deposit
        teller replay --all --dry-run
      """
  )

  @OptionGroup var selection: SelectionOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await selection.carryOut(.replay, answer) }
}
