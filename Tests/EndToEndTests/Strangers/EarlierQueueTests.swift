import AMQP
import BrokerSupport
import Foundation
import JobTransport
import SystemSupport
import TestSupport
import Testing

@Suite("The queues of an earlier version")
struct EarlierQueueTests {
  @Test("are used as they are: what is in them is done, also where the broker compares what they were made with")
  func used() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let connection = try await Connection.patient(to: system.brokerURL)
    for exchange in Topology.exchanges { try await connection.declare(exchange) }
    for var queue in Topology.queues {
      queue.arguments.consumerDisconnectedTimeout = nil
      try await connection.declare(queue)
    }
    for binding in Topology.bindings {
      try await connection.bind(queue: binding.queue, exchange: binding.exchange, routingKey: binding.routingKey)
    }
    await connection.close()
    let early = try system.launch("teller", ["submit", "effect", "--payload", "{}", "--limit", "280s"])
    let coordinator = try await system.startCoordinator()
    #expect(try await early.waitForExit(within: TellerSystem.longLimit) == 0)
    let worker = try await system.startWorker("work=2")
    let later = try await system.submit(3, #"{"kind": "effect", "payload": {}}"#)
    try await system.expectOneOutcomeEach(later)
    try await eventually("both ran", within: TellerSystem.limit) { system.effects.count == 4 }
    for process in [worker, coordinator] { try await process.close() }
  }
}
