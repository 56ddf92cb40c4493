import AMQP
import JobModel

/// The name of a message in `teller.rejected`: a digest of the message. It stays the same when the broker delivers the
/// message again, and it needs no header: another program may have put the message there.
enum RejectedMessageID {
  /// How many bytes of the digest are in the name: so many that no sender can make two messages with the same name.
  private static let bytes = 16
  /// The headers in which the broker counts deliveries. They are in no name.
  private static let ofBroker: Set<String> = ["x-delivery-count", "x-acquired-count"]

  static func of(_ delivery: Delivery) -> String {
    let digest = Digest.sha256(of: Array(text(delivery.properties).utf8) + [0] + body(delivery.body))
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

  /// The same text for the same properties.
  private static func text(_ properties: MessageProperties) -> String {
    let texts = [
      properties.contentType, properties.contentEncoding, properties.correlationID, properties.replyTo,
      properties.messageID, properties.type, properties.userID, properties.appID,
      properties.priority.map { String($0) }, properties.timestamp.map { String($0) },
    ]
    return texts.map(\.debugDescription).joined(separator: ",") + text(withoutCounts(properties.headers))
  }

  /// The headers without those that change with each delivery.
  static func withoutCounts(_ headers: FieldTable) -> FieldTable {
    headers.filter { !ofBroker.contains($0.key) }
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
