import AMQP
import Foundation
import JobModel
import JobTransport

/// A rejected message as `--json` prints it.
struct RejectedDocument: Encodable {
  let id: String
  let parkedMs: Int64?
  let from: String?
  let user: String?
  let error: JobFailure?
  let size: Int64
  let messageId: String?
  let type: String?
  let putBack: Bool
  /// Why it cannot be put back, as far as the message itself says so.
  let obstacle: String?
  private(set) var properties: RejectedProperties?
  private(set) var body: String?
  private(set) var bodyBase64: String?

  init(_ message: RejectedMessage) {
    (id, parkedMs) = (message.id, message.parked?.milliseconds)
    (from, user) = (message.from, message.user)
    (error, size) = (message.reason, message.size)
    (messageId, type) = (message.properties.messageID, message.properties.type)
    obstacle = message.obstacle?.description
    putBack = obstacle == nil
  }

  /// With the properties and the body.
  init(whole message: RejectedMessage) {
    self.init(message)
    properties = RejectedProperties(message)
    switch ResultText(message.body) {
    case .text(let text): body = text
    case .base64(let text): bodyBase64 = text
    }
  }

  /// What became of a message that was to be put back.
  struct PutBack: Encodable {
    let id: String
    let putBack: Bool
    let obstacle: String?

    init(_ message: RejectedMessage, _ obstacle: PutBackObstacle?) {
      (id, putBack, self.obstacle) = (message.id, obstacle == nil, obstacle?.description)
    }
  }

  /// A message that was dropped.
  struct Drop: Encodable {
    let id: String
    let dropped = true

    init(_ message: RejectedMessage) { id = message.id }
  }
}

/// The properties of a message. Those that it does not have are left out.
struct RejectedProperties: Encodable {
  private let contentType: String?
  private let contentEncoding: String?
  private let correlationId: String?
  private let replyTo: String?
  private let messageId: String?
  private let type: String?
  private let appId: String?
  private let expiration: String?
  private let priority: UInt8?
  private let timestamp: UInt64?
  let headers: [String: JSONValue]?

  init(_ message: RejectedMessage) {
    let properties = message.properties
    (contentType, contentEncoding) = (properties.contentType, properties.contentEncoding)
    (correlationId, replyTo) = (properties.correlationID, properties.replyTo)
    (messageId, type, appId) = (properties.messageID, properties.type, properties.appID)
    (expiration, priority, timestamp) = (message.expiration, properties.priority, properties.timestamp)
    headers = properties.headers.isEmpty ? nil : properties.headers.mapValues(JSONValue.init)
  }

  /// The properties beside the headers, by AMQP's names.
  var named: [(name: String, value: String?)] {
    [
      ("message_id", messageId), ("type", type), ("content_type", contentType), ("encoding", contentEncoding),
      ("reply_to", replyTo), ("correlation", correlationId), ("app_id", appId), ("expiration", expiration),
      ("priority", priority.map { "\($0)" }),
      ("timestamp", timestamp.map { Moments.iso(Date(timeIntervalSince1970: Double($0))) }),
    ]
  }
}

extension JSONValue {
  /// A header's value. Bytes are shown as Base64, a moment as seconds since 1970.
  fileprivate init(_ value: FieldValue) {
    switch value {
    case .string(let text): self = .string(text)
    case .bytes(let bytes): self = .string(Data(bytes).base64EncodedString())
    case .int(let number): self = .int(number)
    case .double(let number): self = number.isFinite ? .double(number) : .string("\(number)")
    case .bool(let flag): self = .bool(flag)
    case .timestamp(let seconds): self = .int(Int64(clamping: seconds))
    case .table(let table): self = .object(table.mapValues(JSONValue.init))
    case .array(let values): self = .array(values.map(JSONValue.init))
    case .void, .unsupported: self = .null
    }
  }
}
