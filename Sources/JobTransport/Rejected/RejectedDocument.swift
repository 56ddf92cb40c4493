import AMQP
import Foundation
package import JobModel

/// A rejected message as `--json` prints it.
package struct RejectedDocument: Encodable, Sendable {
  package let id: String
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

  /// As a list has it.
  package init(_ message: RejectedMessage) {
    (id, parkedMs) = (message.id, message.parked?.milliseconds)
    (from, user) = (message.from, message.user)
    (error, size) = (message.reason, message.size)
    (messageId, type) = (message.properties.messageID, message.properties.type)
    obstacle = message.obstacle?.description
    putBack = obstacle == nil
  }

  /// With the properties and the body.
  package init(whole message: RejectedMessage) {
    self.init(message)
    properties = RejectedProperties(message)
    body = String(validating: message.body, as: UTF8.self)
    bodyBase64 = body == nil ? Data(message.body).base64EncodedString() : nil
  }

  /// What became of a message that was to be put back.
  package struct PutBack: Encodable, Sendable {
    let id: String
    let putBack: Bool
    let obstacle: String?

    package init(_ message: RejectedMessage, _ obstacle: PutBackObstacle?) {
      (id, putBack, self.obstacle) = (message.id, obstacle == nil, obstacle?.description)
    }
  }

  /// A message that was dropped.
  package struct Drop: Encodable, Sendable {
    let id: String
    let dropped = true

    package init(_ message: RejectedMessage) { id = message.id }
  }
}

/// The properties of a message. Those that it does not have are left out.
package struct RejectedProperties: Encodable, Sendable {
  package let contentType: String?
  package let contentEncoding: String?
  package let correlationId: String?
  package let replyTo: String?
  package let messageId: String?
  package let type: String?
  package let appId: String?
  package let expiration: String?
  package let priority: UInt8?
  package let timestamp: UInt64?
  package let headers: [String: JSONValue]?

  package init(_ message: RejectedMessage) {
    let properties = message.properties
    (contentType, contentEncoding) = (properties.contentType, properties.contentEncoding)
    (correlationId, replyTo) = (properties.correlationID, properties.replyTo)
    (messageId, type, appId) = (properties.messageID, properties.type, properties.appID)
    (expiration, priority, timestamp) = (message.expiration, properties.priority, properties.timestamp)
    headers = properties.headers.isEmpty ? nil : properties.headers.mapValues(JSONValue.init)
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
