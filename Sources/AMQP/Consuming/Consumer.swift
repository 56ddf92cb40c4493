/// How to consume from a queue.
package struct ConsumeOptions: Sendable, Hashable {
  /// How many deliveries this consumer may hold without an ack. At least 1: consuming without a bound is not offered.
  package var prefetch: UInt16
  /// For example `x-priority`, or `x-stream-offset` of a stream.
  package var arguments: FieldTable = [:]
  /// Whether the queue serves nobody else meanwhile. The broker refuses the consumer with 403 if the queue has another one.
  package var isExclusive = false
  /// Names the consumer on its connection. `nil`: the connection chooses a name.
  package var consumerTag: String?

  package init(prefetch: UInt16, consumerTag: String? = nil, arguments: FieldTable = [:]) {
    self.prefetch = prefetch
    self.consumerTag = consumerTag
    self.arguments = arguments
  }
}

/// The deliveries of one consumer.
///
/// They end when this side or the broker cancels the consumer; the deliveries that have come are read first. They also
/// end when the connection ends; the deliveries that were not read are dropped then.
package struct Consumer: Sendable {
  package let tag: String
  let inbox: DeliveryInbox

  /// Waits for a delivery, then takes it and the deliveries behind it that have come: see ``DeliveryInbox``.
  package func nextBatch(
    atMost limit: Int, bytes byteLimit: Int = .max, isolation: isolated (any Actor)? = #isolation
  ) async -> [Delivery]? {
    await inbox.nextBatch(atMost: limit, bytes: byteLimit, isolation: isolation)
  }

  /// The same for a reader that expects a certain delivery, and must not take the end of the deliveries for it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; ``AMQPError/connectionLost(reason:)`` when the deliveries
  ///   have ended.
  package func batch(
    atMost limit: Int, bytes byteLimit: Int = .max, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Delivery] {
    if let batch = await nextBatch(atMost: limit, bytes: byteLimit) { return batch }
    try Task.checkCancellation()
    throw AMQPError.connectionLost(reason: "the broker ended a consumer")
  }

  /// Takes all deliveries that have come, and waits for none.
  package func takeWaiting() -> [Delivery] { inbox.takeWaiting() }
}
