/// Something that happened to a connection although this side did not ask for it.
package enum ConnectionEvent: Sendable, Hashable {
  /// The broker is short of memory or disk and takes no more messages; publishing waits.
  case blocked(reason: String)
  /// The broker takes messages again.
  case unblocked
  /// The broker ended a consumer, usually because its queue was deleted.
  case consumerCancelled(tag: String)
  /// The broker does not take a transient message. The connection goes on.
  case refused(RefusedTransient)
  /// The connection ended. `nil`: this side closed it.
  case closed(AMQPError?)
}
