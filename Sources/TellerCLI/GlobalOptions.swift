public import ArgumentParser
import CoordinatorSettings
import Foundation
import Logging
import Processes
import Teller

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The configuration file, instead of ./teller.yaml.", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The broker's URL, without a password. It may name several nodes: amqp://user@a:5672,b:5672/. A URL with a password "
        + "belongs into TELLER_BROKER_URL.",
      valueName: "url"))
  var broker: String?

  @Flag(help: "Allow amqp:// to other machines. Such a connection is not encrypted; amqps:// is.")
  var insecure = false

  @Option(help: ArgumentHelp("The lowest level of the messages that are logged to standard error.", valueName: "level"))
  var logLevel: Logger.Level?

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if let broker, GlobalOptions.holdsPassword(broker) {
      throw ValidationError(
        "--broker holds a password, and arguments can be seen by every user of this machine: "
          + "set TELLER_BROKER_URL in the environment instead")
    }
  }

  private static func holdsPassword(_ url: String) -> Bool {
    guard let scheme = url.range(of: "://") else { return false }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return false }
    return authority[..<at].contains(":")
  }

  /// The options that were given, for a command that repeats them.
  var given: GivenOptions {
    [
      ("--config", config), ("--broker", broker), ("--insecure", insecure ? "" : nil),
      ("--log-level", logLevel?.rawValue), ("--color", colors.color == .auto ? nil : colors.color.rawValue),
    ]
  }

  /// Loads the settings of a command that connects. Mistakes of the file that do not concern it are told as one line.
  func connectionSettings(notesMistakes: Bool = true) throws(WrongSettings) -> TellerConfiguration {
    let settings = try ProcessSettings.connection(broker: broker, file: config, isPlaintextAllowed: insecure)
    if notesMistakes, let note = settings.noteOnUnusedKeys { Output.note(note) }
    return settings.broker
  }

  /// The logger of a process that serves, to standard error, with that level unless `--log-level` gives another. From now
  /// on nothing that the process says on standard error waits for the reader.
  func logger(_ label: String, level: Logger.Level) -> Logger {
    Output.sendErrors(through: .standardError)
    var logger = Logger(label: label) { VisibleLogHandler($0, through: .standardError) }
    logger.logLevel = logLevel ?? level
    return logger
  }

  /// Connects a client, runs the body with it, and closes it. The broker's tools show the client under the command's
  /// name. `isQuiet`: without `--log-level` nothing is logged, since the command itself tells of each trouble.
  /// `notesMistakes`: whether mistakes of the file that do not concern the command are told.
  ///
  /// - Throws: `ConfigurationError`, `TellerError`, and the error of the body.
  func withClient<Value>(
    _ name: String, timeouts: ClientTimeouts = .forPeople, isQuiet: Bool = false,
    notesMistakes: Bool = true, _ body: (TellerClient) async throws -> Value
  ) async throws -> Value {
    let stage = CommandLogHandler.Stage()
    var logger = Logger(label: "teller.\(name)") { CommandLogHandler($0, stage) }
    if isQuiet { logger = Logger(label: logger.label) { _ in SwiftLogNoOpLogHandler() } }
    if let logLevel {
      logger = Logger(label: logger.label) { VisibleLogHandler($0) }
      logger.logLevel = logLevel
    }
    let client = try await TellerClient.connect(
      try connectionSettings(notesMistakes: notesMistakes), name: "teller \(name)", timeouts: timeouts, logger: logger)
    stage.connected()
    do {
      let value = try await body(client)
      await client.close()
      return value
    } catch {
      await client.close()
      throw error
    }
  }
}

extension ClientTimeouts {
  /// The timeouts for a person who waits at a terminal: a broker or a coordinator that is away is told of sooner.
  static var forPeople: ClientTimeouts {
    var timeouts = ClientTimeouts()
    timeouts.connect = patienceOfPeople
    timeouts.request = patienceOfPeople
    timeouts.refused = patienceWithNobody
    return timeouts
  }

  private static let patienceOfPeople: Duration = .seconds(10)
  /// How long a broker is tried at whose addresses nobody listens: it may be starting, but a person can see that, too.
  private static let patienceWithNobody: Duration = .seconds(1)
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
