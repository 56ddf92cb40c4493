import ArgumentParser
import JobModel
import Teller

struct KeysResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Makes a key, or all keys of a kind, ready for a first use.",
    discussion: """
      The keys are free at once, and have no outcome: the next submission with one of them is a first use. The jobs that \
      have the keys and wait or run are cancelled; whoever has submitted one is told that. Nothing that such a job still \
      does counts for the next use. Jobs of the kind without a key go on. \
      The jobs that rules have made of the last use are cancelled, and their keys are reset, too.

      With --all the command asks for a confirmation. The answer yes confirms; after any other answer the command changes \
      nothing and exits with 2. With --yes the command does not ask. Without --yes and without a terminal the command exits \
      with 64. Ctrl-C ends the waiting, not the cancelling.

      With --json one object, as `teller operation --json` prints it.

      EXAMPLES:
        teller keys reset invoice 2026-03/A-17
        teller keys reset invoice --all --yes
      """
  )

  @Argument(help: "The kind of the jobs that the keys are for.")
  var kind: JobKind

  @Argument(help: "The key, 1–\(SubmissionKey.longest) bytes.")
  var key: String?

  @Flag(help: "All keys of the kind.")
  var all = false

  @Flag(name: .shortAndLong, help: "Do not ask for a confirmation. Needed for --all without a terminal.")
  var yes = false

  @Flag(help: "Return at once. The coordinator goes on, and `teller operation` shows the progress.")
  var noWait = false

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard (key == nil) == all else { throw ValidationError("Give a KEY, or --all for all keys of the kind.") }
    try key.map(KeyArguments.check)
  }

  func run() async throws {
    if key == nil {
      if !yes, !TerminalSize.canAsk {
        throw Failure(.usage, "there is no terminal to ask on: add --yes to do it without asking")
      }
      if !yes {
        try await ConfirmationOptions.ask("Reset all keys of kind \(kind), and cancel the jobs that have them?")
      }
    }
    try await answer.global.withClient("keys", timeouts: OutcomeWait.timeouts()) { client in
      let operation =
        if let key {
          try await client.resetKey(JobKey(kind: kind, key: key))
        } else {
          try await client.resetKeys(of: kind)
        }
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: noWait)
    }
  }
}
