import ArgumentParser
import CoordinatorSettings
import Decisions
import Teller

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Looks whether a coordinator can use its settings.",
    discussion: """
      EXAMPLE: teller config check /etc/teller/teller.yaml
      """,
    subcommands: [ConfigCheckCommand.self])
}

struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reads the settings as a coordinator does at its start, and says what they are.",
    discussion: """
      It reads the file and the environment, also the file that has the broker's URL, and neither connects nor opens the \
      ledger. Exits with 78 and the line of the mistake when a coordinator would not start with these settings.

      EXAMPLE: teller config check /etc/teller/teller.yaml
      """
  )

  @Argument(help: "The file. (default: that of TELLER_CONFIG, else ./teller.yaml)", completion: .file())
  var file: String?

  func run() throws {
    let settings = try ProcessSettings.load(file: file)
    try settings.checkForCoordinator()
    SettingsText.lines(settings).forEach(Output.line)
  }
}

extension ProcessSettings {
  /// Refuses what no coordinator can use.
  ///
  /// - Throws: `Failure`; `ConfigurationError.notEncrypted`.
  func checkForCoordinator() throws {
    if coordinator.departments.isEmpty {
      throw Failure(.configuration, "there are no departments: name them under `departments:` in teller.yaml")
    }
    try broker.checkEncryption()
  }
}
