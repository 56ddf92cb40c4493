/// The phase of a connection's life.
///
///     open ──▶ closing ──▶ ended
///       │                    ▲
///       └────────────────────┘ the socket broke, or the broker closed the connection
///
/// A connection has a handle until it has ended. The rare cases are indirect: a copy, for every frame, is one pointer.
enum ConnectionPhase {
  case open(BrokerHandle)
  /// This side said goodbye, and the broker has until the deadline to answer. The error is the reason; `nil`: `close()`.
  indirect case closing(BrokerHandle, AMQPError?, deadline: ContinuousClock.Instant)
  indirect case ended(AMQPError?)

  var handle: BrokerHandle? {
    switch self {
    case .open(let handle), .closing(let handle, _, _): handle
    case .ended: nil
    }
  }

  /// - Throws: the reason why the connection is not open; `.closed` after `close()`.
  func openHandle() throws(AMQPError) -> BrokerHandle {
    switch self {
    case .open(let handle): return handle
    case .closing(_, let error, _), .ended(let error): throw error ?? .closed
    }
  }
}
