/// Why messages are not in their queue any more, though nobody but the coordinator empties it.
public struct DeadLetterCause: Hashable, Sendable, Codable {
  /// The queue.
  public var queue: String
  /// RabbitMQ's word: `expired`, `maxlen`, `delivery_limit`; another one, should there be more. Of the queue of a
  /// department: `lost`. Of a queue that is itself gone: `missing`.
  public var reason: String

  package init(queue: String, reason: String) { (self.queue, self.reason) = (queue, reason) }
}

extension DeadLetterCause {
  /// The reason of a released job that is not in its queue, and that no worker has. Its queue has no dead letters.
  package static let lost = "lost"

  /// The reason of a queue that was gone, with what waited in it, when a coordinator connected: none of that comes back.
  package static let missing = "missing"

  /// The words of RabbitMQ that are known.
  package static let reasonsOfBroker = ["expired", "maxlen", "delivery_limit"]

  /// What is behind the reason, and what to do about it, for a sentence that goes on.
  package var advice: String {
    switch reason {
    case "expired": "a policy sets message-ttl, or the sender set expiration: take it out"
    case "maxlen": "a policy sets overflow to drop-head: take it out, since beyond its max-length messages are lost"
    case "delivery_limit": "a policy sets delivery-limit: take it out"
    case DeadLetterCause.lost:
      """
      the queue was purged or deleted, a policy sets message-ttl or max-length, or a worker was away for longer than the \
      lease: see the policies, and the lease
      """
    default: "look at the policies of the virtual host"
    }
  }
}

/// How many messages came back that way; of `missing`, how often the queue was gone.
public struct DeadLetterCount: Hashable, Sendable, Codable {
  /// The queue.
  public var queue: String
  /// Why they were not in the queue: see ``DeadLetterCause/reason``.
  public var reason: String
  /// How many since this coordinator began.
  public var count: Int

  package init(_ cause: DeadLetterCause, count: Int) {
    (queue, reason, self.count) = (cause.queue, cause.reason, count)
  }
}
