/// A message that the broker handed to a consumer. It stays the broker's until it is acked, nacked or rejected on the
/// connection it came from; when that connection ends, the broker delivers it again.
package struct Delivery: Sendable, Hashable {
  package var consumerTag: String
  /// Names this delivery on its connection alone.
  package var deliveryTag: UInt64
  /// Whether the broker may have delivered the message before. Not evidence that it did: see the broker's restarts.
  package var isRedelivered: Bool
  package var exchange: String
  package var routingKey: String
  package var properties: MessageProperties
  package var body: Body

  /// What was read of a delivery's body.
  package enum Body: Sendable, Hashable {
    case bytes([UInt8])
    /// The body is larger than `ConnectionOptions.bodyLimit` and was not kept.
    case overLimit(declaredSize: UInt64)

    /// How many bytes are in memory.
    package var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .overLimit: 0
      }
    }
  }

  package init(
    consumerTag: String, deliveryTag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String,
    properties: MessageProperties, body: Body
  ) {
    self.consumerTag = consumerTag
    self.deliveryTag = deliveryTag
    self.isRedelivered = isRedelivered
    self.exchange = exchange
    self.routingKey = routingKey
    self.properties = properties
    self.body = body
  }
}
