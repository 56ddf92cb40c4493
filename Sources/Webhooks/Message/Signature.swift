import Decisions
import Foundation
import JobModel

/// The signature of a message, as Standard Webhooks says: over the id, the time and the body.
enum Signature {
  /// The headers of a signed message.
  enum Header {
    static let id = "webhook-id"
    static let timestamp = "webhook-timestamp"
    static let signature = "webhook-signature"
  }

  /// The version that stands ahead of each signature: HMAC-SHA256 with a secret that both sides have.
  private static let version = "v1"

  /// One signature for each secret, with spaces between. A receiver takes the message when one of them is right.
  ///
  /// - Parameters:
  ///   - secrets: The present one, and perhaps the one before it.
  ///   - id: The same for all attempts of a message.
  ///   - seconds: When this attempt is made, since 1970: a receiver refuses one that is old.
  ///   - body: As it is sent.
  /// - Returns: The value of the header.
  static func text(_ secrets: [WebhookSecret], id: String, seconds: Int64, body: [UInt8]) -> String {
    let signed = Array("\(id).\(seconds).".utf8) + body
    return secrets.map { secret in
      "\(version),\(Data(Digest.hmac(of: signed, key: secret.key)).base64EncodedString())"
    }.joined(separator: " ")
  }
}
