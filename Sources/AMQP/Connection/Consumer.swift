/// How to consume from a queue.
package struct ConsumeOptions: Sendable, Hashable {
  /// How many deliveries this consumer may hold un-acked. At least 1: consuming without a bound or without acks is not
  /// offered.
  package var prefetch: UInt16
  /// Whether to refuse when there is another consumer, and to keep others away.
  package var isExclusive: Bool = false
  /// For example `x-priority`, or `x-stream-offset` of a stream.
  package var arguments: FieldTable = [:]
  /// Names the consumer on its connection. `nil`: the connection chooses.
  package var consumerTag: String?

  package init(prefetch: UInt16, consumerTag: String? = nil, arguments: FieldTable = [:]) {
    self.prefetch = prefetch
    self.consumerTag = consumerTag
    self.arguments = arguments
  }
}

/// The deliveries of one consumer.
///
/// The sequence ends when the consumer is cancelled, by either side (what has arrived is read first), or when the
/// connection ends (what was not read is dropped).
package struct Consumer: AsyncSequence, Sendable {
  package typealias Element = Delivery
  package typealias Failure = Never

  package let tag: String
  let inbox: DeliveryInbox

  /// Waits for a delivery, then takes it and those behind it that are already there: see ``DeliveryInbox``.
  package func nextBatch(
    atMost limit: Int, bytes byteLimit: Int = .max, isolation: isolated (any Actor)? = #isolation
  ) async -> [Delivery]? {
    await inbox.nextBatch(atMost: limit, bytes: byteLimit, isolation: isolation)
  }

  package func makeAsyncIterator() -> DeliveryInbox.Iterator { inbox.makeAsyncIterator() }
}
