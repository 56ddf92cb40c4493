import ArgumentParser
import CoordinatorSettings

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
    abstract:
      "Reads the settings as a coordinator does at its start, and says what they are, or everything that is wrong.",
    discussion: """
      It reads the file and the environment, the file that has the broker's URL, and the files of TLS. It does not connect, \
      and does not open the ledger.

      Each mistake is one line on standard error, in the order of lines: `FILE:LINE: message`. A mistake outside of the file \
      has no line, and comes last. At most \(Mistakes.shown) mistakes are shown. A text that is no YAML is one mistake, \
      because the parser ends there. With a mistake the exit code is 78, and no coordinator would start.

      With --json one object is printed: `file`; `count`, the number of mistakes; `mistakes`, each with `line` (or null) and \
      `problem`; and, when there is no mistake, `settings` with `broker`, `ledger`, `health`, `departments`, `kinds`, \
      `schedules` and `users`.

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
