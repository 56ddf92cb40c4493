import Decisions
import Teller
import Testing

@testable import Webhooks

@Suite("The signature of a message")
struct SignatureTests {
  /// The example of the specification of Standard Webhooks.
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private let body = Array(#"{"test": 2432232314}"#.utf8)
  private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"

  @Test("is that of the specification's example")
  func example() throws {
    let text = Signature.text([try WebhookSecret(secret)], id: id, seconds: 1_614_265_330, body: body)
    #expect(text == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("is there once for each secret")
  func two() throws {
    let other = try WebhookSecret("whsec_" + String(repeating: "A", count: 32))
    let text = Signature.text([other, try WebhookSecret(secret)], id: id, seconds: 1_614_265_330, body: body)
    let parts = text.split(separator: " ")
    #expect(parts.count == 2)
    #expect(parts.last == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    #expect(parts.first?.hasPrefix("v1,") == true)
  }
}

@Suite("What is sent")
struct WebhookMessageTests {
  private let payload = Array(#"{"epoch":3,"seq":7,"event":"failed","kind":"deposit","new":[1]}"#.utf8)

  private func webhook(_ format: WebhookSettings.Format, signed: Bool = true) throws -> Webhook {
    let address = try WebhookAddress("https://hooks.example.com/T0/secret")
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    return Webhook(
      name: "ops", settings: WebhookSettings(place: .address(address), format: format), address: address,
      secrets: signed ? [secret] : [])
  }

  @Test("has the number of the notification as its id, and the payload as its body, byte by byte")
  func json() throws {
    let message = try WebhookMessage(payload, for: webhook(.json), seconds: 12)
    let headers = Dictionary(uniqueKeysWithValues: message.headers.map { ($0.name, $0.value) })
    #expect(headers["webhook-id"] == "3/7")
    #expect(headers["webhook-timestamp"] == "12")
    #expect(headers["content-type"] == "application/json")
    #expect(message.body == payload)
    let later = try WebhookMessage(payload, for: webhook(.json), seconds: 13)
    let laterHeaders = Dictionary(uniqueKeysWithValues: later.headers.map { ($0.name, $0.value) })
    #expect(laterHeaders["webhook-id"] == headers["webhook-id"])
    #expect(laterHeaders["webhook-signature"] != headers["webhook-signature"])
  }

  @Test("to Slack is a text, without a signature")
  func slack() throws {
    let message = try WebhookMessage(payload, for: webhook(.slack, signed: false), seconds: 12)
    #expect(String(decoding: message.body, as: UTF8.self) == #"{"text":"failed: deposit"}"#)
    #expect(!message.headers.contains { $0.name == "webhook-signature" })
  }

  @Test("is nothing, where the payload is no notification", arguments: ["", "{}", "[]", #"{"epoch":1}"#, "text"])
  func bad(payload: String) throws {
    let webhook = try webhook(.json)
    #expect(throws: PermanentFailure.self) { try WebhookMessage(Array(payload.utf8), for: webhook, seconds: 1) }
  }
}

@Suite("What Slack is told")
struct SlackTextTests {
  private func text(_ json: String) throws -> String {
    SlackText(try WebhookNews(Array(json.utf8))).text
  }

  @Test("is one line with everything that a person looks for")
  func line() throws {
    let text = try text(
      """
      {"epoch": 1, "seq": 2, "event": "failed", "kind": "deposit", "department": "counter", "attempt": 3,
       "job": "01890a5d-ac96-774b-bcce-b302099a8057", "error": {"error": "timeout", "message": "too long"}}
      """)
    #expect(
      text == "failed: deposit in counter, attempt 3: timeout: too long (01890a5d-ac96-774b-bcce-b302099a8057)")
  }

  @Test("is no link, no mention and no further line")
  func escaped() throws {
    let text = try text(
      #"{"epoch":1,"seq":2,"event":"failed","error":{"error":"e","message":"<!channel> a & b\n<http://x|y>\u202e"}}"#)
    #expect(text == "failed: e: &lt;!channel&gt; a &amp; b &lt;http://x|y&gt; ")
  }

  @Test("has an end")
  func bounded() throws {
    let long = String(repeating: "&", count: 5_000)
    let text = try text(#"{"epoch":1,"seq":2,"event":"failed","error":{"error":"e","message":"\#(long)"}}"#)
    #expect(text.count < SlackText.limit * 5 + 10)
    #expect(text.hasSuffix("…"))
  }
}
