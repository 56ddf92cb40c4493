/// How a version of RabbitMQ does what its documentation leaves open, or another version does otherwise.
package enum Manner: String, CaseIterable, Sendable {
  case v3_10 = "3.10"
  case v4_0 = "4.0"
  case v4_3 = "4.3"

  /// Whether another connection may have an exclusive queue's name while the broker has not noticed the end of the last one.
  var locksExclusiveNames: Bool { true }
  /// Whether a single active consumer that is cancelled while it holds a delivery crashes its queue, which nacks the next
  /// publishing.
  var crashesQueueOfLeavingConsumer: Bool { self == .v3_10 }
}
