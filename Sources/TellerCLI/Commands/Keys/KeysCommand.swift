import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Lists the keys that are taken; shows, frees and resets keys.",
    discussion: """
      When a submission has the same kind and a taken key, no new job is made: the submission gets the outcome of the job \
      that has the key. A key stays taken until its window has passed and its job has ended. The outcome is kept for those \
      who ask later: `teller outcome` prints it.

        command   next submission   job with the key   outcome
        free      runs              goes on            stays until the next use
        reset     runs              is cancelled       is forgotten

      EXAMPLES:
        teller keys
        teller keys show invoice 2026-03/A-17
        teller keys free invoice 2026-03/A-17
        teller keys reset invoice 2026-03/A-17
      """,
    subcommands: [KeysListCommand.self, KeysShowCommand.self, KeysFreeCommand.self, KeysResetCommand.self],
    defaultSubcommand: KeysListCommand.self)
}
