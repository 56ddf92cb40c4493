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
  ///     usable, and the way to the broker must be encrypted or allowed.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Returns: Every setting.
  /// - Throws: `WrongSettings`, with every mistake.
  package static func load(
    broker: String? = nil, ledger: String? = nil, file: String? = nil, isPlaintextAllowed: Bool = false,
    isForCoordinator: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> ProcessSettings {
    var loading = SettingsLoading(environment, using: FileKey.all)
    loading.readFile(file)
    loading.takeLedger(ledger)
    loading.takeHealth()
    loading.takeBroker(broker, isPlaintextAllowed: isPlaintextAllowed)
    if isForCoordinator { loading.checkForCoordinator() }
    return try loading.result()
  }

  /// Loads what a client of the broker uses: the broker, TLS and `insecure`. Mistakes of the other keys do not matter: a
  /// coordinator goes on with a file that has become wrong, and commands beside it must, too.
  ///
  /// - Throws: `WrongSettings`, with every mistake of those settings.
  package static func connection(
    broker: String? = nil, file: String? = nil, isPlaintextAllowed: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> ProcessSettings {
    var loading = SettingsLoading(environment, using: FileKey.connection)
    loading.readFile(file)
    loading.takeBroker(broker, isPlaintextAllowed: isPlaintextAllowed)
    return try loading.result()
  }

  /// Loads the ledger's path alone, looked for in the same order. Mistakes of the other keys do not matter, and a secret's
  /// file need not be there.
  ///
  /// - Throws: `WrongSettings`, when the path, or the file as a whole, cannot be read.
  package static func ledgerAlone(
    file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> ProcessSettings {
    var loading = SettingsLoading(environment, using: [.ledger])
    if environment.setting(SettingsLoading.Variable.ledger) == nil { loading.readFile(file) }
    loading.takeLedger(nil)
    return try loading.result()
  }
}
