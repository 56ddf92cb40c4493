import ArgumentParser
import CoordinatorSettings
import JobModel

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Checks the settings of a coordinator.",
    discussion: """
      EXAMPLE: teller config check /etc/teller/teller.yaml
      """,
    subcommands: [ConfigCheckCommand.self])
}

struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Reads the settings as a coordinator does at its start, and prints the settings, or every mistake.",
    discussion: """
      The command reads the configuration file, the environment, the file with the broker's URL, and the files of TLS. The \
      command does not connect to the broker, and does not open the ledger. It does not read the files of webhooks, which \
      `teller webhooks` alone needs.

      Each mistake is one line on standard error: `FILE:LINE: message`. The lines are in the order of the file. A mistake \
      outside of the file has no line number, and comes last. At most \(Mistakes.shown) mistakes are shown. When the text is \
      not YAML, the parser ends at that place. A key that stands twice hides no other mistake.

      The exit code is 78 when there is a mistake: then no coordinator starts with these settings.

      With --json one object is printed:

        file       the path of the file
        count      the number of mistakes
        mistakes   each with "line" (or null) and "problem"
        settings   only when there is no mistake: "broker", "ledger", "health",
                   "departments", "kinds", "schedules", "plans",
                   "notify", "live", "rules", "webhooks" and "users"

      EXAMPLE: teller config check /etc/teller/teller.yaml
      """
  )

  @Argument(help: "The file. (default: that of TELLER_CONFIG, else ./teller.yaml)", completion: .file())
  var file: String?

  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  func run() throws {
    let settings: ProcessSettings
    do throws(WrongSettings) {
      settings = try ProcessSettings.load(file: file, isForCoordinator: true)
    } catch {
      guard json else { throw error.told() }
      try Output.json(ConfigCheck(error))
      throw Failure(.configuration)
    }
    if json { return try Output.json(ConfigCheck(settings)) }
    SettingsText.lines(settings).forEach(Output.line)
  }
}

extension WrongSettings {
  /// Prints every mistake that is shown.
  ///
  /// - Returns: The failure that ends the command: how many there are.
  func told() -> Failure {
    for line in lines { Output.place(line.onOneLine) }
    return Failure(.configuration, summary)
  }
}
