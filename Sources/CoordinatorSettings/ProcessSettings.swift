package import Decisions
package import Teller
package import TellerHealth

/// The settings of a process of `teller`: where the broker is, and what a coordinator does.
///
/// Each is taken from the first of: a flag, the environment, `teller.yaml`, the default.
package struct ProcessSettings: Sendable, Hashable {
  /// The file that was read; nil: there is none.
  package var file: String?
  /// Where the broker is.
  package var broker = TellerConfiguration()
  /// The path of the coordinator's ledger file; a relative one begins at the working directory.
  package var ledger = "./teller.ledger"
  /// Where the coordinator answers `/health`, `/ready` and `/metrics`; nil: nowhere.
  package var health: HealthAddress?
  /// The coordinator's own.
  package var coordinator = CoordinatorConfiguration()
  /// How many mistakes the file has in keys that this process does not use.
  package var mistakesInUnusedKeys = 0

  /// The defaults.
  package init() {}

  /// Why a connection to that host is refused. A command has more ways to allow it than a program.
  package static func notEncrypted(_ host: String) -> String {
    "amqp:// to \(host) is not encrypted: use amqps://, or allow it with --insecure, TELLER_INSECURE=1 or "
      + "`insecure: true` where the network is trusted"
  }

  /// What to say of the mistakes in keys that this process does not use; nil: there is none.
  package var noteOnUnusedKeys: String? {
    guard let file, mistakesInUnusedKeys > 0 else { return nil }
    let count = mistakesInUnusedKeys == 1 ? "1 mistake" : "\(mistakesInUnusedKeys) mistakes"
    return "\(file) has \(count) in settings that this command does not use: `teller config check \(file)` shows all"
  }
}
