import ArgumentParser
import Teller

/// The settings of a command, as arguments.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file, instead of ./teller.yaml.", valueName: "file"))
  var config: String?

  @Flag(help: "Allow amqp:// to other machines, which is not encrypted; better use amqps://.")
  var insecure = false

  /// Loads the settings.
  func configuration() throws -> TellerConfiguration {
    var configuration = try TellerConfiguration.load(file: config)
    if insecure { configuration.allowsPlaintext = true }
    return configuration
  }
}
