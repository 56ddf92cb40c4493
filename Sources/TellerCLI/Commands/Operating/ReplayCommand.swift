import ArgumentParser
import Teller

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Submits failed jobs again, each once.",
    discussion: """
      A job that has ended never runs again: its replay is a new job with an id of its own, and `teller show` leads \
      from one to the other. It keeps kind, department, priority, payload, run limit, trace, and how many attempts \
      there are, and begins with the first. It does not keep the key (its submission is no longer one-shot), the jobs \
      it waited for, its time, or its place in a plan: it is held by nothing of its own. By when it must start is what \
      `start_within:` of its kind says, from now on; whoever submitted the first job is not told of it. A job that was \
      replayed or dropped already is left as it is, so that the command may be repeated.

      Named jobs are replayed at once. For --kind, --department and --all: \(ConfirmationOptions.help)

      With the ids of jobs it prints a line for each, with the id of the new job. The exit code is 2 when a job has \
      not failed or was dropped, 66 when one is not known. With --json one object: "changed" [ids], "replays" [the new \
      ids, in the same order], "unchanged" [{"job", "reason": unknown, not_failed, replayed, dropped or no_department, \
      "replay" (of one that was replayed)}]; without ids the object that `teller operation --json` prints. \
      \(ConfirmationOptions.jsonHelp)

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
