import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

/// A virtual host of the broker that the tests share, fresh or with everything declared.
struct Broker {
  let url: BrokerURL

  static func make() async throws -> Broker {
    Broker(url: try BrokerURL(try await BrokerNode.shared.makeVirtualHost()))
  }

  /// A connection to a virtual host in which everything is declared.
  static func prepared(departments: [Department] = ["counter"]) async throws -> Connection {
    let connection = try await make().connect()
    try await Topology.declareAll(on: connection, departments: departments)
    return connection
  }

  func connect() async throws -> Connection {
    try await Connection.patient(to: url)
  }
}

extension Connection {
  /// The next deliveries of a queue, each acked. What expires there is to be published by `publish`, which is called
  /// once the queue is consumed.
  func take(
    _ count: Int = 1, from queue: String, arguments: FieldTable = [:],
    whenConsumed publish: @Sendable () async throws -> Void = {}
  ) async throws -> [Delivery] {
    let consumer = try await consume(
      queue, options: ConsumeOptions(prefetch: UInt16(clamping: count), arguments: arguments))
    try await publish()
    let deliveries = try await limited("\(count) deliveries of \(queue)") {
      var deliveries: [Delivery] = []
      while deliveries.count < count, let batch = await consumer.nextBatch(atMost: count - deliveries.count) {
        deliveries += batch
      }
      return deliveries
    }
    try await ack(contentsOf: deliveries.map(\.deliveryTag))
    try await cancel(consumer.tag)
    return deliveries
  }

  /// Publishes and expects the broker to take it.
  func put(_ publishing: Publishing) async throws {
    #expect(try await publish(publishing) == .confirmed)
  }
}
