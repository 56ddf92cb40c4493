package import AMQP

/// The meaning of the broker's errors for a queue whose node is down.
extension AMQPError {
  /// Whether a queue whose node is down may be the reason.
  package var mayMeanQueueIsDown: Bool {
    if case .timedOut = self { return true }
    return saysQueueIsDown
  }

  /// Whether the broker refused to delete a queue because the queue's node is away. RabbitMQ answers 541 if the node was
  /// stopped in good order (4.0.5), and 404 if the broker was started without the node.
  package var saysQueueCannotBeDeleted: Bool {
    if case .connectionClosed(541, _) = self { return true }
    return saysQueueIsDown
  }
}
