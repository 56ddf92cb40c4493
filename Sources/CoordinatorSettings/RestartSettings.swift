import AMQP
import Teller
import TellerHealth

extension ProcessSettings {
  /// What other settings say that needs a restart, each for people. No password is shown.
  package func needingRestart(in new: ProcessSettings) -> [String] {
    // The rest of the broker's URL, and the files of TLS, count for each new connection.
    difference("broker: virtual host", broker.brokerURL.virtualHost, new.broker.brokerURL.virtualHost)
      + difference("broker: user", broker.brokerURL.user, new.broker.brokerURL.user)
      + difference("insecure", "\(broker.allowsPlaintext)", "\(new.broker.allowsPlaintext)")
      + difference("ledger", ledger, new.ledger)
      + difference("health", health?.description, new.health?.description)
  }

  private func difference(_ name: String, _ old: String?, _ new: String?) -> [String] {
    old == new ? [] : ["\(name): \(old ?? "none") → \(new ?? "none")"]
  }
}
