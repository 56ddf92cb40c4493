package import AMQP
package import JobModel

/// A message by which a process finds out whether a queue lives. Its consumers drop it.
///
/// A classic queue lives on one node of the broker. While that node is down, the broker nacks each message to the queue at
/// once. To declare, to consume or to purge the queue is refused only after more than a minute, if the node was killed
/// (4.0.5).
package enum QueueProbe {
  /// Its property `type`; no kind of job has this name.
  static let type = "teller.queue-probe"

  /// The probe of a queue, by its name. The probe expires as it arrives, unless a consumer is waiting just then.
  ///
  /// | the queue | the broker's answer |
  /// |---|---|
  /// | lives | confirmed |
  /// | does not live | nacked |
  /// | does not exist, or was not seen since the broker's start | returned |
  package static func publishing(to queue: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: queue,
      properties: MessageProperties(expiration: "0", type: type), body: [])
  }

  /// A probe that stays until a consumer takes it: where it comes, all that was before it has come. To be told by its
  /// message id.
  package static func marker(_ id: String, to queue: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: queue,
      properties: MessageProperties(messageID: id, type: type), body: [])
  }

  /// Whether a delivery is a probe, to be dropped in silence.
  package static func isProbe(_ delivery: Delivery) -> Bool {
    delivery.properties.type == type && delivery.body.count == 0
  }
}

extension Topology {
  /// The queues that live on one node of the broker, and are down while that node is. The other queues have copies on
  /// several nodes.
  package static func queuesOfOneNode(departments: [Department], kindQueues: [JobQueue] = []) -> [String] {
    let all = queues + (departments.map { JobQueue($0) } + kindQueues).map(Topology.queue)
    return all.filter { $0.arguments.type == .classic }.map(\.name)
  }

  /// Declares and binds a lasting queue by its name; nothing for a name of no such queue.
  package static func declare(
    _ queue: String, departments: [Department], kindQueues: [JobQueue] = [], on connection: Connection
  ) async throws(AMQPError) {
    let jobQueues = departments.map { JobQueue($0) } + kindQueues
    guard let declaration = (queues + jobQueues.map(Topology.queue)).first(where: { $0.name == queue }) else { return }
    try await connection.declare(declaration)
    for binding in bindings + jobQueues.map(Topology.binding) where binding.queue == queue {
      try await bind(binding, on: connection)
    }
  }
}
