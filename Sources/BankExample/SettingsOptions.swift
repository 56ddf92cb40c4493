import ArgumentParser
import Teller

/// Where a command of the bank gets its settings from.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file, instead of ./teller.yaml.", valueName: "file"))
  var config: String?

  @Flag(help: "Allow amqp:// to other machines, which is not encrypted; better use amqps://.")
  var insecure = false

  /// The settings of this process.
  func configuration() throws -> TellerConfiguration {
    var configuration = try TellerConfiguration.load(file: config)
    if insecure { configuration.allowsPlaintext = true }
    return configuration
  }
}
