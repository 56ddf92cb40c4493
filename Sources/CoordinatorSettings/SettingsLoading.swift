import Foundation
package import Teller
import TellerHealth

extension ProcessSettings {
  /// The environment variables that are read beside the broker's.
  private enum Variable {
    static let ledger = "TELLER_LEDGER"
    static let health = "TELLER_HEALTH"
    static let file = "TELLER_CONFIG"
  }

  /// Loads the settings of this process. An empty environment variable counts as not set.
  ///
  /// - Parameters:
  ///   - broker: The broker's URL, from a flag.
  ///   - ledger: The path of the ledger, from a flag.
  ///   - file: The path of the file. A file that is named here or in `TELLER_CONFIG` must exist; else `./teller.yaml` is
  ///     read if it exists.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Returns: Every setting.
  /// - Throws: `ConfigurationError`, with the line of a mistake in the file.
  package static func load(
    broker: String? = nil, ledger: String? = nil, file: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> ProcessSettings {
    let content = try read(file, environment)
    var settings = content.settings
    try settings.broker.override(broker: broker, elseFrom: content.brokerFile, environment: environment)
    if let ledger = ledger ?? environment.setting(Variable.ledger) { settings.ledger = ledger }
    if let health = environment.setting(Variable.health) { settings.health = try address(health) }
    return settings
  }

  /// The ledger's path alone, looked for in the same order. Other settings, such as a secret's file, need not be
  /// usable.
  ///
  /// - Throws: `ConfigurationError`, with the line of a mistake in the file.
  package static func ledgerPath(
    file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> String {
    if let ledger = environment.setting(Variable.ledger) { return ledger }
    return try read(file, environment).settings.ledger
  }

  private static func address(_ text: String) throws(ConfigurationError) -> HealthAddress {
    do {
      return try HealthAddress(setting: text)
    } catch {
      throw .invalidSetting(source: Variable.health, problem: error.description)
    }
  }

  /// The file that is read when no other is named, if it exists.
  private static let defaultFile = "teller.yaml"
  /// The largest file that is read, in bytes.
  private static let fileLimit = 1 << 20

  private static func read(
    _ named: String?, _ environment: [String: String]
  ) throws(ConfigurationError) -> ConfigurationFile {
    let file = named ?? environment.setting(Variable.file)
    if file == nil, !FileManager.default.fileExists(atPath: defaultFile) { return ConfigurationFile() }
    let path = file ?? defaultFile
    var content = try ConfigurationFile.parse(yaml: try SmallFile.text(of: path, limit: fileLimit), file: path)
    content.settings.file = path
    return content
  }
}
