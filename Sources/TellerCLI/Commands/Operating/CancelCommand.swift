import ArgumentParser
import Teller

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancels jobs that wait or run.",
    discussion: """
      A job that waits is never started. When a job runs, the task of its handler is cancelled, and the outcome of the job is \
      cancelled, whatever the handler does afterwards. A job that is submitted after the command is not cancelled.

      Named jobs are cancelled at once, with a line for each on standard output. A job that is left as it is has a line on \
      standard error. The exit code is 2 when a job had ended, and 66 when a job is not known.

      For filters and --all: \(ConfirmationOptions.help) The coordinator then cancels the jobs in steps. On a \
      terminal a line shows how far it is; in a pipe there is one line at the end. Ctrl-C ends the waiting, not the cancelling. \
      A cancel of a whole department, or of all jobs, ends the plans that run there, too. An open plan stays open.

      With --json one object. With ids: "changed" [ids], "unchanged" [{"job", "reason": unknown or ended}]. Without ids: the \
      object that `teller operation --json` prints. \(ConfirmationOptions.jsonHelp)

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
