import AMQP
import Ledger
import TellerHealth

extension Failure {
  /// Why a coordinator does not run, or no longer.
  init(ofCoordinator error: any Error) {
    switch error {
    case let error as LedgerError: self.init(.ledger, error.description)
    case let error as HealthServerError: self.init(.configuration, error.description)
    case let error as AMQPError: self.init(.brokerUnavailable, error.description)
    default: self.init(error)
    }
  }
}
