import ArgumentParser
import Teller

/// The settings of a command, as arguments.
struct SettingsOptions: ParsableArguments {
  @Flag(help: "Allow amqp:// to other machines. Such a connection is not encrypted; amqps:// is.")
  var insecure = false

  /// Loads the settings from the environment.
  func configuration() throws -> TellerConfiguration {
    var configuration = try TellerConfiguration.load()
    if insecure { configuration.allowsPlaintext = true }
    return configuration
  }
}
