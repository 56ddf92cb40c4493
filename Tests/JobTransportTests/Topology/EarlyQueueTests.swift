import AMQP
import BrokerSupport
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("The early queue on the broker", .timeLimit(.minutes(10)))
struct EarlyQueueTests {
  @Test("gives each message to one of two coordinators, and to the other one when the first is gone")
  func oneOwner() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let (first, second) = (try await Connection.patient(to: url), try await Connection.patient(to: url))
    try await Topology.declareAll(on: first, departments: [])
    let options = ConsumeOptions(prefetch: 100)
    let served = try await first.consume(Topology.Queue.early, options: options)
    let waiting = try await second.consume(Topology.Queue.early, options: options)
    let publisher = try await Connection.patient(to: url)
    try await publisher.publish(contentsOf: messages)
    for _ in messages {
      let batch = try await limited("early messages") { await served.nextBatch(atMost: 1) }
      try await first.ack(contentsOf: (batch ?? []).map(\.deliveryTag))
    }
    #expect(waiting.takeWaiting().isEmpty)
    await first.close()
    try await publisher.publish(contentsOf: [messages[0]])
    let next = try await limited("an early message for the other one") { await waiting.nextBatch(atMost: 1) }
    #expect(next?.count == 1)
    for connection in [second, publisher] { await connection.close() }
  }

  /// Submissions and reports.
  private let messages = [
    TransientPublishing(exchange: Topology.Exchange.submitEarly, routingKey: Topology.RoutingKey.submit, body: [1]),
    TransientPublishing(exchange: Topology.Exchange.presence, routingKey: Topology.RoutingKey.earlyReports, body: [2]),
  ]
}
