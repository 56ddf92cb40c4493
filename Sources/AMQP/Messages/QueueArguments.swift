/// The optional arguments of a queue. Typed, because the broker accepts a misspelt argument in silence.
///
/// Arguments cannot change while the queue exists: another value is answered with 406.
package struct QueueArguments: Sendable, Hashable {
  /// `nil`: as the virtual host has it, usually classic.
  package var type: QueueType?
  /// Classic queues only: priorities 0 to this.
  package var maxPriority: UInt8?
  /// Quorum queues only: a message redelivered more often is dropped or dead-lettered.
  package var deliveryLimit: Int?
  /// `nil`: drop-head, the broker's default.
  package var overflow: Overflow?
  /// How many messages may be ready in the queue.
  package var maxLength: Int?
  /// How many bytes of bodies may be ready in the queue.
  package var maxLengthBytes: Int?
  /// How long a message waits before it is dropped or dead-lettered, once at the head of the queue.
  package var messageTTL: Duration?
  /// How long the queue may be unused before the broker deletes it.
  package var expires: Duration?
  /// Whether one consumer at a time is served. Not an ordering tool: two may hold deliveries while it changes.
  package var singleActiveConsumer: Bool?
  /// Quorum queues only, from RabbitMQ 4.3 on: how long a consumer keeps its place, and what it holds, once its node is out
  /// of reach; `nil`: a minute.
  package var consumerDisconnectedTimeout: Duration?
  /// A queue may have it or not: an earlier version of Teller made some without it.
  package static let consumerDisconnectedTimeoutName = "x-consumer-disconnected-timeout"
  /// Where rejected, expired and dropped messages go; without it they are gone.
  package var deadLetterExchange: String?
  /// `nil`: the message's own routing key.
  package var deadLetterRoutingKey: String?
  /// Streams only: messages older than this may go, a segment at a time. Whole seconds.
  package var streamMaxAge: Duration?
  /// Streams only: the size of the files that the stream is kept in, and forgotten by.
  package var streamMaxSegmentSizeBytes: Int?

  /// How the broker stores the queue.
  package enum QueueType: String, Sendable, Hashable {
    case classic
    case quorum
    case stream
  }

  /// What happens to a message when the queue is full.
  package enum Overflow: String, Sendable, Hashable {
    /// The publishing is nacked.
    case rejectPublish = "reject-publish"
    /// The message at the head goes: of a priority queue the one of highest priority.
    case dropHead = "drop-head"
  }

  package init(type: QueueType? = nil) {
    self.type = type
  }

  /// The arguments as they go over the wire.
  package var fieldTable: FieldTable {
    var table: FieldTable = [:]
    table["x-queue-type"] = type.map { .string($0.rawValue) }
    table["x-max-priority"] = maxPriority.map { .int(Int64($0)) }
    table["x-delivery-limit"] = deliveryLimit.map { .int(Int64($0)) }
    table["x-overflow"] = overflow.map { .string($0.rawValue) }
    table["x-max-length"] = maxLength.map { .int(Int64($0)) }
    table["x-max-length-bytes"] = maxLengthBytes.map { .int(Int64($0)) }
    table["x-message-ttl"] = messageTTL.map { .int($0.milliseconds) }
    table["x-expires"] = expires.map { .int($0.milliseconds) }
    table["x-single-active-consumer"] = singleActiveConsumer.map { .bool($0) }
    table[QueueArguments.consumerDisconnectedTimeoutName] = consumerDisconnectedTimeout.map { .int($0.milliseconds) }
    table["x-dead-letter-exchange"] = deadLetterExchange.map { .string($0) }
    table["x-dead-letter-routing-key"] = deadLetterRoutingKey.map { .string($0) }
    table["x-max-age"] = streamMaxAge.map { .string("\($0.components.seconds)s") }
    table["x-stream-max-segment-size-bytes"] = streamMaxSegmentSizeBytes.map { .int(Int64($0)) }
    return table
  }
}
