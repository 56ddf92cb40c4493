import Decisions
import Foundation
import JobModel
import Teller

/// One attempt to tell a receiver of a notification: headers and body, as they are sent.
struct WebhookMessage: Hashable, Sendable {
  let headers: [Header]
  let body: [UInt8]

  struct Header: Hashable, Sendable {
    let name: String
    let value: String
  }

  /// The message of a job of a webhook.
  ///
  /// - Parameters:
  ///   - payload: The notification.
  ///   - webhook: Where it is sent, and in which format.
  ///   - seconds: The time of this attempt, since 1970.
  /// - Throws: `PermanentFailure` when the payload is no notification.
  init(_ payload: [UInt8], for webhook: Webhook, seconds: Int64) throws {
    let news = try WebhookNews(payload)
    switch webhook.settings.format {
    case .json: body = payload
    case .slack: body = SlackText(news).body
    }
    var headers = [
      Header(name: "content-type", value: "application/json"),
      Header(name: "user-agent", value: "teller/\(CoordinatorConfiguration.version)"),
      Header(name: Signature.Header.id, value: news.id),
      Header(name: Signature.Header.timestamp, value: "\(seconds)"),
    ]
    if !webhook.secrets.isEmpty {
      let signature = Signature.text(webhook.secrets, id: news.id, seconds: seconds, body: body)
      headers.append(Header(name: Signature.Header.signature, value: signature))
    }
    self.headers = headers
  }
}

/// What is read of a notification: its number, and what Slack is told. Members that are not known do no harm.
struct WebhookNews: Decodable, Hashable, Sendable {
  let epoch: Int
  let seq: Int64
  var event: String?
  var job: String?
  var kind: String?
  var department: String?
  var attempt: Int?
  var plan: String?
  var name: String?
  var error: JobFailure?

  /// - Throws: `PermanentFailure`: no other attempt would read it.
  init(_ payload: [UInt8]) throws {
    do {
      self = try JSONText.decode(WebhookNews.self, from: Data(payload))
    } catch {
      throw PermanentFailure(
        code: "webhook_payload", message: "the payload of a webhook's job must be a notification with epoch and seq")
    }
  }

  /// The same over all attempts and replays, and of no other notification.
  var id: String { "\(epoch)/\(seq)" }
}
