import ArgumentParser
import CoordinatorSettings
import Foundation
import Ledger

struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger",
    abstract: "Copies a ledger while its coordinator runs, and checks the file of a ledger.",
    discussion: """
      These commands read the ledger's file: they run on the coordinator's machine, as the coordinator's user, and need no \
      broker. They never write to the ledger, and the coordinator never waits for them.

      EXAMPLE: teller ledger backup /backup/teller-monday.ledger
      """,
    subcommands: [LedgerBackupCommand.self, LedgerCheckCommand.self])
}

/// The options of a command about a ledger's file.
struct LedgerOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  @Option(
    help: ArgumentHelp("The ledger file. (default: that of the coordinator's settings)", valueName: "file"),
    completion: .file())
  var ledger: String?

  @Option(
    help: ArgumentHelp("The configuration file, instead of ./teller.yaml.", valueName: "file"), completion: .file())
  var config: String?

  @OptionGroup var colors: ColorOptions

  /// The ledger's path. Other settings need not be usable: a backup needs no broker.
  func path() throws -> String {
    if let ledger { return ledger }
    let settings = try ProcessSettings.ledgerAlone(file: config)
    if let note = settings.noteOnUnusedKeys { Output.note(note) }
    return settings.ledger
  }
}

extension Failure {
  /// Why there is no copy, or a file is no sound ledger.
  init(_ error: BackupError) {
    switch error {
    case .exists, .isTheLedger, .logBeside: self.init(.rejected, error.description)
    case .cancelled: self.init(.interrupted, error.description)
    default: self.init(.ledger, error.description)
    }
  }
}
