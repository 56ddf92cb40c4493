import JobModel

@testable import AMQP

/// Deliveries as a broker would make them of what a codec encoded, and broken ones.
enum Deliveries {
  static func of(_ publishing: Publishing) -> Delivery {
    make(publishing.properties, .bytes(publishing.body), exchange: publishing.exchange, key: publishing.routingKey)
  }

  static func of(_ publishing: TransientPublishing) -> Delivery {
    make(publishing.properties, .bytes(publishing.body), exchange: publishing.exchange, key: publishing.routingKey)
  }

  static func make(
    _ properties: MessageProperties, _ body: Delivery.Body = .bytes([]), exchange: String = "", key: String = ""
  ) -> Delivery {
    Delivery(
      consumerTag: "test", deliveryTag: 1, isRedelivered: false, exchange: exchange, routingKey: key,
      properties: properties, body: body)
  }

  static func json(_ type: String?, _ text: String, replyTo: String? = nil) -> Delivery {
    make(MessageProperties(replyTo: replyTo, type: type), .bytes(Array(text.utf8)))
  }
}
