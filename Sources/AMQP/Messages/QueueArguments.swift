/// The optional arguments of a queue. Each is a typed field, because the broker accepts a misspelt name in silence.
///
/// Arguments cannot change while the queue exists: the broker refuses another value with 406.
package struct QueueArguments: Sendable, Hashable {
  /// `nil`: the default of the virtual host, usually classic.
  package var type: QueueType?
  /// Classic queues only: the highest priority. The lowest is 0.
  package var maxPriority: UInt8?
  /// Quorum queues only: the broker drops or dead-letters a message that it has redelivered more often.
  package var deliveryLimit: Int?
  /// `nil`: drop-head, the broker's default.
  package var overflow: Overflow?
  /// How many messages may be ready in the queue.
  package var maxLength: Int?
  /// How many bytes of bodies may be ready in the queue together.
  package var maxLengthBytes: Int?
  /// How long a message may wait. The broker drops or dead-letters an older message once it is at the head.
  package var messageTTL: Duration?
  /// The exchange that gets what the broker takes off the queue: for its age, its length, or too many returns. A message
  /// keeps its routing key. `nil`: the broker drops the message.
  package var deadLetterExchange: String?
  /// Quorum queues only, with ``Overflow/rejectPublish``: whether a message stays in the queue until all queues behind that
  /// exchange have confirmed it. Where a policy sets another overflow, the broker does without, in silence.
  package var deadLettersAtLeastOnce = false
  /// Whether the broker serves one consumer at a time. No order is promised: at a change two may hold deliveries.
  package var singleActiveConsumer: Bool?
  /// Quorum queues only, from RabbitMQ 4.3 on: how long a consumer keeps its place and its deliveries once its node is out
  /// of reach; `nil`: a minute.
  package var consumerDisconnectedTimeout: Duration?
  /// Streams only: the size of each file of the stream. The broker forgets the oldest messages file by file.
  package var streamMaxSegmentSizeBytes: Int?

  /// The way in which the broker stores the queue.
  package enum QueueType: String, Sendable, Hashable {
    case classic
    case quorum
    case stream
  }

  /// The broker's answer to a message for a full queue.
  package enum Overflow: String, Sendable, Hashable {
    /// The broker nacks the publishing.
    case rejectPublish = "reject-publish"
    /// The broker drops the message at the head: of a priority queue the message of the highest priority.
    case dropHead = "drop-head"
  }

  package init(type: QueueType? = nil) {
    self.type = type
  }

  /// The arguments in the form of the wire.
  package var fieldTable: FieldTable {
    var table: FieldTable = [:]
    table["x-queue-type"] = type.map { .string($0.rawValue) }
    table["x-max-priority"] = maxPriority.map { .int(Int64($0)) }
    table["x-delivery-limit"] = deliveryLimit.map { .int(Int64($0)) }
    table["x-overflow"] = overflow.map { .string($0.rawValue) }
    table["x-max-length"] = maxLength.map { .int(Int64($0)) }
    table["x-max-length-bytes"] = maxLengthBytes.map { .int(Int64($0)) }
    table["x-message-ttl"] = messageTTL.map { .int($0.milliseconds) }
    table["x-dead-letter-exchange"] = deadLetterExchange.map { .string($0) }
    if deadLettersAtLeastOnce { table["x-dead-letter-strategy"] = "at-least-once" }
    table["x-single-active-consumer"] = singleActiveConsumer.map { .bool($0) }
    table["x-consumer-disconnected-timeout"] = consumerDisconnectedTimeout.map { .int($0.milliseconds) }
    table["x-stream-max-segment-size-bytes"] = streamMaxSegmentSizeBytes.map { .int(Int64($0)) }
    return table
  }
}
