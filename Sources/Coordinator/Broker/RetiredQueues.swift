import AMQP
import Bookkeeping
import JobModel
import JobTransport
import Logging

/// Reads what waits in the queues of earlier versions, and deletes them. Each message is recorded before it is acked, and
/// keeps its user. A message may come twice: as long as both queues are bound, both get it. It counts once, by its id.
struct RetiredQueues {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let logger: Logger
  var markLimit = RetiredQueues.markLimit

  /// How long a mark of the end may take to come before another one is published.
  static let markLimit: Duration = .seconds(5)
  private static let prefetch: UInt16 = 64

  /// To be called once the present queues are declared. Returns when no such queue is left that holds these messages.
  func empty(of contents: Topology.Mail, _ record: (Bookkeeper, [Delivery]) async throws -> Void) async throws {
    for queue in Topology.retired where queue.contents == contents { try await empty(queue.name, record) }
  }

  private func empty(_ queue: String, _ record: (Bookkeeper, [Delivery]) async throws -> Void) async throws {
    var (count, reading) = (0, RetiredReading(limit: markLimit))
    reading.note(try await mark(queue), at: SessionClock.now)
    if reading.isOver { return }
    logger.notice("reading a queue of an earlier version", metadata: ["queue": "\(queue)"])
    let consumer = try await connections.consuming.consume(
      queue, options: ConsumeOptions(prefetch: RetiredQueues.prefetch))
    while !reading.isOver {
      let batch = try await consumer.batch(
        atMost: Int(RetiredQueues.prefetch), bytes: Intake.batchBytes, within: markLimit)
      count += try await take(batch, record)
      let probes = batch.filter(QueueProbe.isProbe).compactMap(\.properties.messageID)
      guard reading.read(probes: probes, at: SessionClock.now) else { continue }
      reading.note(try await mark(queue), at: SessionClock.now)
    }
    try await connections.consuming.cancel(consumer.tag)
    try await connections.consuming.delete(queue: queue)
    logger.notice(
      "moved what waited in a queue of an earlier version, and deleted the queue",
      metadata: ["queue": "\(queue)", "messages": "\(count)"])
  }

  /// Has a batch recorded, and acks it.
  ///
  /// - Returns: How many messages it had, beside marks.
  private func take(
    _ batch: [Delivery], _ record: (Bookkeeper, [Delivery]) async throws -> Void
  ) async throws -> Int {
    let messages = batch.filter { !QueueProbe.isProbe($0) }
    try await record(bookkeeper, messages)
    try await connections.consuming.ack(contentsOf: batch.map(\.deliveryTag))
    return messages.count
  }

  /// Publishes a message that shows the present end of the queue.
  private func mark(_ queue: String) async throws -> RetiredReading.Mark {
    let id = JobID().description
    switch try await connections.publishing.publish(QueueProbe.marker(id, to: queue)) {
    case .confirmed: return .end(id)
    case .returned: return .gone
    case .nacked, .refused:
      var question = QueueDeclaration(queue)
      question.isPassive = true
      if try await connections.consuming.declare(question).messageCount > 0 { return .full }
      throw AMQPError.connectionLost(reason: "the queue \(queue) of an earlier version takes nothing")
    }
  }
}
