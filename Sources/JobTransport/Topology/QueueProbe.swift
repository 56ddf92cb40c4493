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
  ///
  /// It is confirmed by a queue that lives, and nacked for one that does not; returned where there is none, and where
  /// nobody has known the queue to live since the broker was started.
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
  package static func queuesOfOneNode(departments: [Department], kindQueues: [JobQueue] = []) -> [String] {
    let all = queues + (departments.map { JobQueue($0) } + kindQueues).map(Topology.queue)
    return all.filter { $0.arguments.type == .classic }.map(\.name)
  }

  /// Declares and binds one queue of those that last, by its name; nothing of another name.
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
