package import AMQP

/// The queues of this broker that an earlier version has made, without an argument that RabbitMQ compares from 4.3 on.
///
/// `teller.submissions` and `teller.reports` have `x-consumer-disconnected-timeout`; those of an earlier version do not.
/// Arguments cannot change while a queue exists, and the messages in it are not to be lost: it is declared as it is. All
/// that it lacks is a quick change of hands: when a node of the broker is lost, its next consumer is served up to a
/// minute later.
package struct EarlierQueues: Sendable {
  private var names: Set<String> = []

  package init() {}

  /// The queue as it is to be declared.
  package func asItIs(_ queue: QueueDeclaration) -> QueueDeclaration {
    var queue = queue
    if names.contains(queue.name) { queue.arguments.consumerDisconnectedTimeout = nil }
    return queue
  }

  /// Learns from the broker's refusal of a declaration.
  ///
  /// - Returns: What is declared in another way from now on; nil: the refusal has another reason.
  package mutating func learn(from error: AMQPError) -> Lesson? {
    guard case .channelClosed(406, let text) = error,
      text.contains("'\(QueueArguments.consumerDisconnectedTimeoutName)'"),
      let name = Topology.queues.map(\.name).first(where: { text.contains("queue '\($0)'") })
    else { return nil }
    if text.contains("received none") { return names.remove(name).map { .wasMadeAnew(queue: $0) } }
    // The broker cuts a text at 255 bytes: of a virtual host with a long name the end is missing.
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

  /// What a refusal tells of a queue.
  package enum Lesson: Hashable, Sendable {
    /// It lacks the argument.
    case isEarlier(queue: String)
    /// It lacked the argument, and has it now.
    case wasMadeAnew(queue: String)
  }
}
