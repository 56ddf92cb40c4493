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
      waiting, not the cancelling.

      Named jobs are cancelled at once. For --kind, --department and --all: \(ConfirmationOptions.help) A cancel of a \
      whole department, or of all jobs, ends the open plans there, too.

      With --json one object: "changed" [ids], "unchanged" [{"job", "reason": unknown or ended}]; without ids the object \
      that `teller operation --json` prints. \(ConfirmationOptions.jsonHelp)

      EXAMPLES:
        teller cancel 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller cancel --department loan --kind letter
        teller cancel --department loan --dry-run
        teller cancel --all --yes
      """
  )

  @OptionGroup var selection: SelectionOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws { try await selection.carryOut(.cancel, answer) }
}
