package import AMQP
package import JobModel

extension Topology {
  /// Declares every lasting exchange and queue; only the coordinator does, after every connect. To declare an existing one
  /// changes nothing.
  ///
  /// - Throws: an `AMQPError`, in particular `.channelClosed` with code 406 when a queue exists with other arguments.
  package static func declareAll(
    on connection: Connection, departments: [Department], kindQueues: [JobQueue] = []
  ) async throws(AMQPError) {
    for exchange in exchanges { try await connection.declare(exchange) }
    for queue in queues { try await connection.declare(queue) }
    for binding in bindings { try await bind(binding, on: connection) }
    for queue in departments.map({ JobQueue($0) }) + kindQueues { try await declare(queue, on: connection) }
  }

  /// Declares and binds a queue of assignments; only the coordinator does.
  package static func declare(_ queue: JobQueue, on connection: Connection) async throws(AMQPError) {
    try await connection.declare(Topology.queue(queue))
    try await bind(binding(queue), on: connection)
  }

  /// Declares and binds a worker's queue of control messages, on the connection that will consume it and that has this
  /// number among the worker's connections.
  ///
  /// - Returns: the queue's name.
  /// - Throws: an `AMQPError`; `.channelClosed` with code 404 when no coordinator has ever run on this broker.
  package static func declareWorkerQueue(
    _ worker: WorkerID, session: Int, departments: [Department], on connection: Connection
  ) async throws(AMQPError) -> String {
    let queue = try await connection.declare(workerQueue(worker, session: session)).name
    for binding in workerBindings(worker, session: session, departments: departments) {
      try await bind(binding, on: connection)
    }
    return queue
  }

  static func bind(_ binding: Binding, on connection: Connection) async throws(AMQPError) {
    try await connection.bind(queue: binding.queue, exchange: binding.exchange, routingKey: binding.routingKey)
  }
}
