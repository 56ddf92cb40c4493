package import AMQP

/// What a coordinator sends to the queue `teller.coordinator`, to hear whether that serves it.
package enum Knock {
  static let type = "knock"

  /// A knock by a name that nobody else has.
  package static func publishing(by name: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.coordinator,
      properties: MessageProperties(messageID: name, type: type), body: [])
  }

  /// Whether a delivery is a knock by that name.
  package static func isOne(_ delivery: Delivery, by name: String) -> Bool {
    delivery.properties.type == type && delivery.properties.messageID == name
  }
}
