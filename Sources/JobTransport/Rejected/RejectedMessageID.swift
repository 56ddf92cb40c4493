import AMQP
import JobModel

/// The name of a message in `teller.rejected`: a digest of the message. It stays the same when the broker delivers the
/// message again, and it needs no header: another program may have put the message there.
enum RejectedMessageID {
  /// How many bytes of the digest are in the name. Among ten thousand messages two have the same name once in twenty
  /// thousand queues.
  private static let bytes = 5

  static func of(_ delivery: Delivery) -> String {
    let digest = Digest.sha1(of: Array(text(delivery.properties).utf8) + [0] + body(delivery.body))
    return digest.prefix(bytes).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  private static func body(_ body: Delivery.Body) -> [UInt8] {
    switch body {
    case .bytes(let bytes): bytes
    case .overLimit(let size): Array(String(size).utf8)
    }
  }

  /// The same text for the same properties. Headers of the broker itself (`x-…`) are left out: some count deliveries.
  private static func text(_ properties: MessageProperties) -> String {
    let texts = [
      properties.contentType, properties.contentEncoding, properties.correlationID, properties.replyTo,
      properties.messageID, properties.type, properties.userID, properties.appID,
      properties.priority.map { String($0) }, properties.timestamp.map { String($0) },
    ]
    let own = properties.headers.filter { !$0.key.hasPrefix("x-") }
    return texts.map(\.debugDescription).joined(separator: ",") + text(own)
  }

  private static func text(_ table: FieldTable) -> String {
    let rows = table.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription):\(text($0.value))" }
    return "{" + rows.joined(separator: ",") + "}"
  }

  private static func text(_ value: FieldValue) -> String {
    switch value {
    case .table(let table): text(table)
    case .array(let values): "[" + values.map(text).joined(separator: ",") + "]"
    default: String(describing: value)
    }
  }
}
