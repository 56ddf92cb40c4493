package import Decisions
import Foundation
import Teller

extension ProcessSettings {
  /// Loads what those who deliver webhooks use: the way to the broker, the webhooks, and what stands in their files.
  ///
  /// - Throws: `WrongSettings`, with every mistake of those settings. None shows a secret.
  package static func webhooks(
    broker: String? = nil, file: String? = nil, isPlaintextAllowed: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(WrongSettings) -> (settings: ProcessSettings, webhooks: [Webhook]) {
    var loading = SettingsLoading(environment, using: FileKey.delivery)
    loading.readFile(file)
    loading.takeBroker(broker, isPlaintextAllowed: isPlaintextAllowed)
    let webhooks = loading.readWebhooks()
    return (try loading.result(), webhooks)
  }
}

extension SettingsLoading {
  /// The largest file of a secret or an address, in bytes.
  private static let secretLimit = 4 << 10

  /// The webhooks, by name, without those whose files cannot be used.
  mutating func readWebhooks() -> [Webhook] {
    let named = settings.coordinator.webhooks.sorted { $0.key < $1.key }
    if named.isEmpty { noteNoWebhooks() }
    return named.compactMap { name, settings in
      let lines = lines.webhooks[name]
      let address: WebhookAddress? =
        switch settings.place {
        case .address(let address): address
        case .file(let file):
          line(of: file, at: lines?.address) { text throws(WebhookAddress.Problem) in try WebhookAddress(text) }
        }
      let files = [(settings.secretFile, lines?.secret), (settings.previousSecretFile, lines?.previousSecret)]
      let secrets = files.compactMap { file, line in
        file.flatMap {
          self.line(of: $0, at: line) { text throws(WebhookSecret.Problem) in try WebhookSecret(text) }
        }
      }
      return address.map { Webhook(name: name, settings: settings, address: $0, secrets: secrets) }
    }
  }

  /// What the line of a file is read as; nil, and a mistake, when it cannot be used. None shows the line.
  private mutating func line<Value, Failure: Error & CustomStringConvertible>(
    of file: String, at line: Int?, _ read: (String) throws(Failure) -> Value
  ) -> Value? {
    collect(at: line) { _ throws(ConfigurationError) in
      let line = SmallFile.line(of: try SmallFile.text(of: file, limit: SettingsLoading.secretLimit))
      do throws(Failure) {
        return try read(line?.text ?? "")
      } catch {
        throw ConfigurationError.unreadable(file: file, reason: error.description)
      }
    }
  }
}
