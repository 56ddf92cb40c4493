package import AMQP

/// Tries what a user of the broker may do, and changes nothing: what exists is declared as it is, and the rest is asked for
/// in a way that the broker refuses for another reason, once it has looked at the permissions.
///
/// | right | what is asked for | the answer where it is allowed |
/// |---|---|---|
/// | to configure | the existing thing as it is; a missing queue with a negative age | ok; 406 |
/// | to write | a message that expires at no time | 406 |
/// | to bind | the binding that the coordinator makes | ok; 404 |
/// | to read | a consumer whose priority is a text | 406; 404 |
///
/// Most refusals end a channel, which is a line in the broker's log.
package struct RightsTrial: Sendable {
  /// How long the broker may take to answer a message.
  private static let patience: Duration = .seconds(10)

  private let open: @Sendable () async throws(AMQPError) -> Connection

  /// `open`: opens a connection of the user.
  package init(_ open: @escaping @Sendable () async throws(AMQPError) -> Connection) { self.open = open }

  /// What the broker says of a right.
  package enum Answer: Hashable, Sendable {
    case allowed
    /// The user may not. The broker's words.
    case refused(String)
    /// There is such a queue or exchange, with other arguments. The broker's words.
    case differs(String)
    /// The broker knows the queue, and no node answers for it. The broker's words.
    case down(String)
    /// There is no such exchange yet, so it cannot be tried.
    case missing
  }

  /// Tries all of them, one after the other.
  ///
  /// - Throws: an `AMQPError` that is not about a right: the broker is gone, or does not answer.
  package func answers(to rights: [Right]) async throws(AMQPError) -> [(right: Right, answer: Answer)] {
    var connection: Connection?
    var answers: [(right: Right, answer: Answer)] = []
    for right in rights {
      let present: Connection
      if let connection { present = connection } else { present = try await open() }
      connection = present
      do throws(AMQPError) {
        answers.append((right, try await attempt(right, on: present)))
      } catch {
        // A refusal has ended the connection.
        await present.close()
        connection = nil
        guard let answer = Self.answer(error, to: right) else { throw error }
        answers.append((right, answer))
      }
    }
    await connection?.close()
    return answers
  }

  static func answer(_ error: AMQPError, to right: Right) -> Answer? {
    if error.saysQueueIsDown { return .down(error.brokersWords) }
    guard case .channelClosed(let code, let text) = error else { return nil }
    return answer(code, text, to: right)
  }

  private static func answer(_ code: UInt16, _ text: String, to right: Right) -> Answer? {
    switch (code, right) {
    case (AMQPError.accessRefusedCode, _): .refused(text)
    case (AMQPError.notFoundCode, .configureExchange), (AMQPError.notFoundCode, .writeExchange): .missing
    case (AMQPError.notFoundCode, _): .allowed
    case (AMQPError.preconditionFailedCode, .configureExchange), (AMQPError.preconditionFailedCode, .configureQueue):
      text.contains("inequivalent") ? .differs(text) : .allowed
    case (AMQPError.preconditionFailedCode, _): .allowed
    default: nil
    }
  }

  private func attempt(_ right: Right, on connection: Connection) async throws(AMQPError) -> Answer {
    switch right {
    case .configureExchange(var exchange):
      exchange.isPassive = true
      try await connection.declare(exchange)
      exchange.isPassive = false
      try await connection.declare(exchange)
    case .configureQueue(var queue):
      if try await !exists(queue) { queue.arguments.messageTTL = .milliseconds(-1) }
      try await connection.declare(queue)
    case .makeQueue(let queue): try await connection.declare(queue)
    case .writeExchange(let name):
      if case .refused(let code, let text) = try await connection.publish(
        Self.impossible(to: name), orCloseAfter: Self.patience)
      {
        return Self.answer(code, text, to: right) ?? .refused(text)
      }
    case .bind(let binding):
      if let queue = Topology.ofConnection(binding.queue) { try await connection.declare(queue) }
      try await Topology.bind(binding, on: connection)
    case .readQueue(let name):
      _ = try await connection.consume(name, options: ConsumeOptions(prefetch: 1, arguments: ["x-priority": "none"]))
    }
    return .allowed
  }

  /// On a connection of its own, which a missing queue ends.
  private func exists(_ queue: QueueDeclaration) async throws(AMQPError) -> Bool {
    var passive = queue
    passive.isPassive = true
    let connection = try await open()
    do throws(AMQPError) {
      try await connection.declare(passive)
    } catch {
      await connection.close()
      if case .channelClosed(AMQPError.notFoundCode, _) = error, !error.saysQueueIsDown { return false }
      throw error
    }
    await connection.close()
    return true
  }

  /// A message that no broker takes: it expires at no time.
  private static func impossible(to exchange: String) -> Publishing {
    Publishing(
      exchange: exchange, routingKey: "teller.doctor", properties: MessageProperties(expiration: "never"), body: [])
  }
}
