package import AMQP
package import JobModel

/// A message that finds out whether somebody answers for a queue, and that nobody is to read.
///
/// A classic queue lives on one node of the broker. While that node is down the broker nacks what is published to its
/// queue, at once; to declare, consume or purge it takes the broker more than a minute to refuse, if the node was killed
/// (4.0.5).
package enum QueueProbe {
  /// What it is by its property `type`; no kind of job is named so.
  static let type = "teller.queue-probe"

  /// The probe of a queue, by its name. It expires as it arrives, unless a consumer is waiting for it just then.
  package static func publishing(to queue: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: queue,
      properties: MessageProperties(expiration: "0", type: type), body: [])
  }

  /// Whether a delivery is one, to be dropped without a word.
  package static func isProbe(_ delivery: Delivery) -> Bool {
    delivery.properties.type == type && delivery.body.count == 0
  }
}

extension Topology {
  /// The queues that are on one node of the broker alone, and that are down while that node is. The others are on
  /// several, where there are several.
  package static func queuesOfOneNode(departments: [Department]) -> [String] {
    (queues + departments.map(departmentQueue)).filter { $0.arguments.type == .classic }.map(\.name)
  }

  /// Deletes a queue whose node is down, with all that was in it, and declares it anew where this connection is. When that
  /// node is back, what it had of it is gone.
  ///
  /// - Throws: An `AMQPError`; `.connectionClosed` with code 541 when the node was stopped in good order: then a queue
  ///   cannot be deleted (4.0.5), and waits for its node.
  package static func renew(
    _ queue: String, departments: [Department], on connection: Connection
  ) async throws(AMQPError) {
    let declarations = queues + departments.map(departmentQueue)
    let all = bindings + departments.map(departmentBinding)
    guard let declaration = declarations.first(where: { $0.name == queue }) else { return }
    try await connection.delete(queue: queue)
    try await connection.declare(declaration)
    for binding in all where binding.queue == queue {
      try await connection.bind(queue: queue, exchange: binding.exchange, routingKey: binding.routingKey)
    }
  }
}
