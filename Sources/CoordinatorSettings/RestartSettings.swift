import AMQP
import Teller
import TellerHealth

extension ProcessSettings {
  /// What other settings say that needs a restart, each for people. No password is shown.
  package func needingRestart(in new: ProcessSettings) -> [String] {
    brokerDifference(new.broker.brokerURL)
      + difference("tls ca", broker.tls.ca, new.broker.tls.ca)
      + difference("tls certificate", broker.tls.certificate, new.broker.tls.certificate)
      + difference("tls key", broker.tls.key, new.broker.tls.key)
      + difference("insecure", "\(broker.allowsPlaintext)", "\(new.broker.allowsPlaintext)")
      + difference("ledger", ledger, new.ledger)
      + difference("health", health?.description, new.health?.description)
  }

  private func brokerDifference(_ new: BrokerURL) -> [String] {
    let old = broker.brokerURL
    if old.description != new.description { return difference("broker", old.description, new.description) }
    return old.password == new.password ? [] : ["broker: another password"]
  }

  private func difference(_ name: String, _ old: String?, _ new: String?) -> [String] {
    old == new ? [] : ["\(name): \(old ?? "none") → \(new ?? "none")"]
  }
}
