package import AMQP
package import JobModel

/// Something that a user of the broker must be allowed, in the words of RabbitMQ's permissions.
package enum Right: Hashable, Sendable {
  case configureExchange(ExchangeDeclaration)
  case configureQueue(QueueDeclaration)
  /// To make a queue that goes with its connection.
  case makeQueue(QueueDeclaration)
  case writeExchange(String)
  /// To bind: this writes the queue, and reads the exchange.
  case bind(Topology.Binding)
  case readQueue(String)
}

extension Topology {
  /// What a coordinator must be allowed.
  package static func rightsOfCoordinator(departments: [Department]) -> [Right] {
    let queues = queues + departments.map { queue(JobQueue($0)) } + [coordinatorQueue]
    let bindings = bindings + departments.map { binding(JobQueue($0)) }
    let written = [
      Exchange.default, Exchange.jobs, Exchange.reports, Exchange.presence, Exchange.control, Exchange.notifications,
    ]
    let read = [
      Queue.submissions, Queue.reports, Queue.presence, Queue.requests, Queue.admin, Queue.notifications,
      Queue.coordinator, Queue.early, Queue.deadLetters, Queue.dropped,
    ]
    return exchanges.map { .configureExchange($0) } + queues.map { .configureQueue($0) }
      + bindings.map { .bind($0) } + written.map { .writeExchange($0) } + read.map { .readQueue($0) }
  }

  /// What a worker or a client must be allowed. `departments`: those that a worker serves.
  package static func rights(of role: UserRole, departments: [Department]) -> [Right] {
    var rights: [Right] = []
    if role.may(.serve) {
      let worker = WorkerID()
      rights.append(.makeQueue(workerQueue(worker, session: 0)))
      rights += workerBindings(worker, session: 0, departments: departments).map { .bind($0) }
      rights += [Exchange.reports, Exchange.presence, Exchange.echo].map { .writeExchange($0) }
      rights += departments.map { .readQueue(Queue.department($0)) }
    }
    if role.may(.ask) {
      let reply = replyQueue(JobID())
      rights.append(.makeQueue(reply))
      rights.append(.bind(Binding(queue: reply.name, exchange: Exchange.notifications, routingKey: RoutingKey.live)))
      rights += [.writeExchange(Exchange.requests), .readQueue(Queue.notifications)]
    }
    if role.may(.submit) { rights += [Exchange.submit, Exchange.submitEarly].map { .writeExchange($0) } }
    if role.may(.command) { rights += [.writeExchange(Exchange.admin), .readQueue(Queue.rejected)] }
    return rights
  }
}

extension Right: CustomStringConvertible {
  /// As an administrator of the broker says it.
  package var description: String {
    switch self {
    case .configureExchange(let exchange): "configure the exchange \(exchange.name)"
    case .configureQueue(let queue), .makeQueue(let queue): "configure the queue \(queue.name)"
    case .writeExchange(let name): "write to the exchange \(name.isEmpty ? "amq.default" : name)"
    case .bind(let binding): "bind (write) the queue \(binding.queue) to (read) the exchange \(binding.exchange)"
    case .readQueue(let name): "read the queue \(name)"
    }
  }
}
