import Foundation

/// What a webhook signs with, as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes as base64. No text shows it.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The key itself.
  package let key: [UInt8]

  /// What a secret begins with.
  package static let prefix = "whsec_"
  private static let lengths = 24...64

  /// What is wrong with a text; it shows none of it.
  package enum Problem: Error, Hashable, CustomStringConvertible {
    case prefix, base64, length(Int)

    /// For people: what to write.
    package var description: String {
      switch self {
      case .prefix: "the secret does not begin with \(WebhookSecret.prefix)"
      case .base64: "behind \(WebhookSecret.prefix) there is no base64"
      case .length(let count):
        "the secret has \(count) bytes, and must have \(lengths.lowerBound)–\(lengths.upperBound): make one by "
          + "`echo \(WebhookSecret.prefix)$(openssl rand -base64 32)`"
      }
    }
  }

  /// Reads a secret.
  package init(_ text: String) throws(Problem) {
    guard text.hasPrefix(WebhookSecret.prefix) else { throw .prefix }
    guard let data = Data(base64Encoded: String(text.dropFirst(WebhookSecret.prefix.count))) else { throw .base64 }
    guard WebhookSecret.lengths.contains(data.count) else { throw .length(data.count) }
    key = [UInt8](data)
  }

  /// Not the secret.
  package var description: String { "a secret" }
  /// Nothing: a dump shows no key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A webhook with what stands in its files: ready to deliver.
package struct Webhook: Hashable, Sendable {
  /// As the configuration has it.
  package var name: String
  /// How it delivers.
  package var settings: WebhookSettings
  /// Where it delivers.
  package var address: WebhookAddress
  /// What it signs with: the present secret first, then the one before it. None: nothing is signed.
  package var secrets: [WebhookSecret]

  /// The given values.
  package init(name: String, settings: WebhookSettings, address: WebhookAddress, secrets: [WebhookSecret] = []) {
    (self.name, self.settings, self.address, self.secrets) = (name, settings, address, secrets)
  }
}
