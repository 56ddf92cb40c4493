import Synchronization

/// Acks that wait a moment for others: one word to the broker then says them all.
///
/// Each ack of a quorum queue is an entry in the log of the queue, which the broker has on its disk before it goes on with
/// the next message. So an ack for each message costs the next message as much as a message before it.
final class GatheredAcks: Sendable {
  /// How long an ack waits at most.
  static let delay = Duration.milliseconds(10)
  /// So many acks wait no longer. Far fewer than any prefetch: the broker never waits for an ack that waits here.
  static let limit = 16

  private struct State {
    var tags: [UInt64] = []
    /// When the acks that wait are to leave.
    var due: ContinuousClock.Instant?
    var isInUse = false
  }

  private let state = Mutex(State())

  /// - Returns: whether the connection's thread has to look now: it is time, or these are the first, of which it does not
  ///   know yet. From then on it looks by itself while deliveries are without an ack.
  func add(_ tags: [UInt64], at now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      defer { state.isInUse = true }
      state.tags += tags
      if state.due == nil { state.due = now + Self.delay }
      return state.tags.count >= Self.limit || !state.isInUse
    }
  }

  /// The acks that are to leave: enough, or due. `all`: no matter how few and how new.
  func take(at now: @autoclosure () -> ContinuousClock.Instant, all: Bool = false) -> [UInt64] {
    state.withLock { state in
      guard let due = state.due, all || state.tags.count >= Self.limit || due <= now() else { return [] }
      defer { (state.tags, state.due) = ([], nil) }
      return state.tags
    }
  }

  /// When to ask again; nil: there is nothing to wait for. `isExpecting`: deliveries are without an ack.
  func nextLook(isExpecting: Bool, from now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    state.withLock { $0.due ?? (isExpecting && $0.isInUse ? now + Self.delay : nil) }
  }
}
