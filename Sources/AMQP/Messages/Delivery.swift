/// A message that the broker handed to a consumer.
///
/// The message stays the broker's until this side acks or nacks it on the same connection; else it is delivered again.
package struct Delivery: Sendable, Hashable {
  package var consumerTag: String
  /// Names this delivery on its connection alone.
  package var deliveryTag: UInt64
  /// Whether the broker may have delivered the message before. No evidence of an earlier delivery: after a restart of the
  /// broker every message of a classic queue has it.
  package var isRedelivered: Bool
  package var exchange: String
  package var routingKey: String
  package var properties: MessageProperties
  package var body: Body
  /// The first bytes of a body that is over the limit, at most ``beginningLimit``; else empty.
  package var beginning: [UInt8] = []

  package init(
    consumerTag: String, deliveryTag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String,
    properties: MessageProperties, body: Body, beginning: [UInt8] = []
  ) {
    (self.consumerTag, self.deliveryTag, self.isRedelivered) = (consumerTag, deliveryTag, isRedelivered)
    (self.exchange, self.routingKey) = (exchange, routingKey)
    (self.properties, self.body, self.beginning) = (properties, body, beginning)
  }

  /// The most bytes of ``beginning``: enough to see whose message it is.
  package static let beginningLimit = 512

  /// The body of a delivery, as far as it was kept.
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
}
