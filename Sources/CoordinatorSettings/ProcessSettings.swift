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

  /// The defaults.
  package init() {}
}
