import Foundation
import Teller

extension ProcessSettings {
  /// Loads the settings of this process. An empty environment variable counts as not set.
  ///
  /// - Parameters:
  ///   - broker: The broker's URL, from a flag.
  ///   - ledger: The path of the ledger, from a flag.
  ///   - file: The path of the file. A file that is named here or in `TELLER_CONFIG` must exist; else `./teller.yaml` is
  ///     read if it exists.
  ///   - isPlaintextAllowed: Whether a flag allows `amqp://` to other machines.
  ///   - isForCoordinator: Whether a coordinator is to use them: then there must be departments, the files of TLS must be
  ///     usable, and the way to the broker must be encrypted or allowed. Else a mistake of a setting that a coordinator
  ///     alone uses is no mistake, and the setting has its default.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Returns: Every setting.
  /// - Throws: `WrongSettings`, with every mistake.
  package static func load(
    broker: String? = nil, ledger: String? = nil, file: String? = nil, isPlaintextAllowed: Bool = false,
    isForCoordinator: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> ProcessSettings {
    var loading = SettingsLoading(environment)
    loading.readFile(file)
    loading.takeLedger(ledger)
    loading.takeHealth()
    if isForCoordinator { loading.heedCoordinatorMistakes() }
    loading.takeBroker(broker, isPlaintextAllowed: isPlaintextAllowed)
    if isForCoordinator { loading.checkForCoordinator() }
    return try loading.result()
  }

  /// Why a connection to that host is refused. A command has more ways to allow it than a program.
  package static func notEncrypted(_ host: String) -> String {
    "amqp:// to \(host) is not encrypted: use amqps://, or allow it with --insecure, TELLER_INSECURE=1 or "
      + "`insecure: true` where the network is trusted"
  }

  /// The ledger's path alone, looked for in the same order. Other settings, such as a secret's file, need not be
  /// usable.
  ///
  /// - Throws: `WrongSettings`, with every mistake of the file that concerns all processes.
  package static func ledgerPath(
    file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> String {
    var loading = SettingsLoading(environment)
    if environment.setting(SettingsLoading.Variable.ledger) == nil { loading.readFile(file) }
    loading.takeLedger(nil)
    return try loading.result().ledger
  }
}
