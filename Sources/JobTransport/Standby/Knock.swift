package import AMQP

/// The message of a coordinator to the queue `teller.coordinator`: it comes back if the queue serves this coordinator.
package enum Knock {
  static let type = "knock"

  /// A knock by a unique name.
  package static func publishing(by name: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.coordinator,
      properties: MessageProperties(messageID: name, type: type), body: [])
  }

  /// Whether a delivery is a knock by this name.
  package static func isOne(_ delivery: Delivery, by name: String) -> Bool {
    delivery.properties.type == type && delivery.properties.messageID == name
  }
}
