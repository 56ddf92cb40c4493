package import AMQP

/// The queues of this broker that an earlier version has made, without an argument that RabbitMQ compares from 4.3 on.
///
/// `teller.submissions` and `teller.reports` have `x-consumer-disconnected-timeout`; those of an earlier version do not.
/// The arguments of an existing queue cannot change, and its messages must not be lost, so it is declared as it is. Such a
/// queue has one disadvantage: when a node of the broker is lost, its next consumer is served up to a minute later.
package struct EarlierQueues: Sendable {
  private var names: Set<String> = []

  package init() {}

  /// The declaration of a queue, as the broker has the queue.
  package func asItIs(_ queue: QueueDeclaration) -> QueueDeclaration {
    var queue = queue
    if names.contains(queue.name) { queue.arguments.consumerDisconnectedTimeout = nil }
    return queue
  }

  /// Learns from the broker's refusal of a declaration.
  ///
  /// - Returns: The queue that is declared in another way from now on; nil: the refusal has another reason.
  package mutating func learn(from error: AMQPError) -> Lesson? {
    guard case .channelClosed(406, let text) = error,
      text.contains("'\(QueueArguments.consumerDisconnectedTimeoutName)'"),
      let name = Topology.queues.map(\.name).first(where: { text.contains("queue '\($0)'") })
    else { return nil }
    if text.contains("received none") { return names.remove(name).map { .wasMadeAnew(queue: $0) } }
    // The broker cuts its text at 255 bytes: with a long name of the virtual host the end is missing.
    guard !text.contains("current is the value") else { return nil }
    return names.insert(name).inserted ? .isEarlier(queue: name) : nil
  }

  /// Whether a refusal tells how a queue is to be declared instead: the next connection may succeed.
  ///
  /// The broker's text ends with "received none but current is …" or with "received … but current is none".
  static func isLesson(_ error: AMQPError) -> Bool {
    guard case .channelClosed(406, let text) = error,
      text.contains("inequivalent arg '\(QueueArguments.consumerDisconnectedTimeoutName)'")
    else { return false }
    return text.contains("received none") || !text.contains("current is the value")
  }

  /// What a refusal tells about a queue.
  package enum Lesson: Hashable, Sendable {
    /// The queue lacks the argument.
    case isEarlier(queue: String)
    /// The queue lacked the argument, and has it now.
    case wasMadeAnew(queue: String)
  }
}
