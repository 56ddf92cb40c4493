import DequeModule

/// Requests without an answer yet. The broker answers those of one channel in the order in which they were sent.
///
/// A pure value. `Waiter` is who is told.
struct PendingRequests<Waiter> {
  /// The broker answered something that was not asked.
  struct UnexpectedReply: Error, Hashable {
    let reply: Reply
    let expected: Request?
  }

  private struct Pending {
    let request: Request
    var deadline: ContinuousClock.Instant
    let waiter: Waiter
  }

  private var pending: Deque<Pending> = []

  /// When the first of them runs out of time: the broker has not begun with the others.
  var deadline: ContinuousClock.Instant? { pending.first?.deadline }
  /// The request that is answered next.
  var first: Request? { pending.first?.request }

  mutating func append(_ request: Request, deadline: ContinuousClock.Instant, waiter: Waiter) {
    pending.append(Pending(request: request, deadline: deadline, waiter: waiter))
  }

  /// The next one has time until `deadline` at least: the broker begins with it only now.
  ///
  /// - Returns: who waits for that reply.
  mutating func answer(_ reply: Reply, nextUntil deadline: ContinuousClock.Instant) throws(UnexpectedReply) -> Waiter {
    guard let first = pending.first, first.request.isAnswered(by: reply) else {
      throw UnexpectedReply(reply: reply, expected: pending.first?.request)
    }
    pending.removeFirst()
    if let next = pending.first { pending[0].deadline = max(next.deadline, deadline) }
    return first.waiter
  }

  /// Gives all of them time until then.
  mutating func postpone(to deadline: ContinuousClock.Instant) {
    for index in pending.indices { pending[index].deadline = deadline }
  }

  mutating func removeAll() -> [Waiter] {
    defer { pending.removeAll() }
    return pending.map(\.waiter)
  }
}
