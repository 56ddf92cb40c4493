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

  /// How often it reads to the present end. A message that was on its way while the new queue was bound is before the
  /// second end.
  private static let rounds = 2
  private static let prefetch: UInt16 = 64

  /// To be called once the present queues are declared. Returns when no such queue is left that holds these messages.
  func empty(of contents: Topology.Mail, _ record: (Bookkeeper, [Delivery]) async throws -> Void) async throws {
    for queue in Topology.retired where queue.contents == contents { try await empty(queue.name, record) }
  }

  private func empty(_ queue: String, _ record: (Bookkeeper, [Delivery]) async throws -> Void) async throws {
    guard var mark = try await mark(queue) else { return }
    logger.notice("reading a queue of an earlier version", metadata: ["queue": "\(queue)"])
    let consumer = try await connections.consuming.consume(
      queue, options: ConsumeOptions(prefetch: RetiredQueues.prefetch))
    var (count, round) = (0, 1)
    while true {
      let batch = try await consumer.batch(atMost: Int(RetiredQueues.prefetch), bytes: Intake.batchBytes)
      let messages = batch.filter { !QueueProbe.isProbe($0) }
      try await record(bookkeeper, messages)
      try await connections.consuming.ack(contentsOf: batch.map(\.deliveryTag))
      count += messages.count
      guard mark.isReached(by: batch) else { continue }
      if case .end = mark { round += 1 }
      guard round <= RetiredQueues.rounds, let next = try await self.mark(queue) else { break }
      mark = next
    }
    try await connections.consuming.cancel(consumer.tag)
    try await connections.consuming.delete(queue: queue)
    logger.notice(
      "moved what waited in a queue of an earlier version, and deleted the queue",
      metadata: ["queue": "\(queue)", "messages": "\(count)"])
  }

  /// How far a queue is read before it is looked at again.
  private enum Mark {
    /// To the message of that id, which was the last one.
    case end(String)
    /// Some messages: the queue is full, and takes no mark.
    case some

    func isReached(by batch: [Delivery]) -> Bool {
      guard case .end(let id) = self else { return true }
      return batch.contains { $0.properties.messageID == id && QueueProbe.isProbe($0) }
    }
  }

  /// Publishes a message that shows the present end of the queue. Nil: there is no such queue.
  private func mark(_ queue: String) async throws -> Mark? {
    let id = JobID().description
    switch try await connections.publishing.publish(QueueProbe.marker(id, to: queue)) {
    case .confirmed: return .end(id)
    case .returned: return nil
    case .nacked, .refused:
      var question = QueueDeclaration(queue)
      question.isPassive = true
      if try await connections.consuming.declare(question).messageCount > 0 { return .some }
      throw AMQPError.connectionLost(reason: "the queue \(queue) of an earlier version takes nothing")
    }
  }
}
