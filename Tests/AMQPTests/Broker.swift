import BrokerSupport
import Foundation
import TestSupport
import Testing

@testable import AMQP

/// Connections to a fresh virtual host of the broker that the tests share.
struct Broker {
  let url: BrokerURL
  /// Where the same broker speaks plain AMQP, when `url` is for TLS.
  var plainURL: BrokerURL?

  /// With the environment variable `TELLER_TEST_BROKER_TLS` the same tests run over TLS.
  static let usesTLS = ProcessInfo.processInfo.environment["TELLER_TEST_BROKER_TLS"] != nil

  static func make() async throws -> Broker {
    if usesTLS { return try await TLSBroker.make() }
    return Broker(url: try BrokerURL(try await BrokerNode.shared.makeVirtualHost()))
  }

  func connect(
    _ name: String = "test", _ change: (inout ConnectionOptions) -> Void = { _ in }
  ) async throws -> Connection {
    var options = ConnectionOptions.patient(name)
    change(&options)
    return try await Connection.open(url, options: options)
  }
}

extension Connection {
  /// How many messages wait in a queue.
  func count(of queue: String) async throws -> Int { try await state(of: queue).messageCount }

  /// Publishes a text to a queue and expects the broker to take it.
  func put(_ text: String, into queue: String, priority: UInt8? = nil) async throws {
    let properties = MessageProperties(priority: priority, messageID: text)
    let result = try await publish(
      Publishing(exchange: "", routingKey: queue, properties: properties, body: Array(text.utf8)))
    #expect(result == .confirmed)
  }
}

extension Delivery {
  var text: String? {
    guard case .bytes(let bytes) = body else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The next deliveries, as many as asked for.
func take(_ count: Int, from inbox: DeliveryInbox) async throws -> [Delivery] {
  try await limited("\(count) deliveries") {
    var deliveries: [Delivery] = []
    while deliveries.count < count, let batch = await inbox.nextBatch(atMost: count - deliveries.count) {
      deliveries += batch
    }
    return deliveries
  }
}

func take(_ count: Int, from consumer: Consumer) async throws -> [Delivery] {
  try await take(count, from: consumer.inbox)
}

/// The first event that passes the test; `nil` when the events end without it.
func firstEvent(
  of connection: Connection, named name: String, where passes: @escaping @Sendable (ConnectionEvent) -> Bool
) async throws -> ConnectionEvent? {
  let events = connection.events
  return try await limited(name) { await events.first { passes($0) } }
}
