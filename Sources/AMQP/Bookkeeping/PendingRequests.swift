import DequeModule

/// Requests without an answer. The broker answers the requests of one channel in the order of sending.
///
///     append ──▶  third   second   first  ──▶ answer
///                                  └ its time runs: the broker has not begun with the others
///
/// A pure value. The `Waiter` of a request is told its answer.
struct PendingRequests<Waiter> {
  /// The broker's answer fits no request, or another request than the first.
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

  /// When the time of the first request is over.
  var deadline: ContinuousClock.Instant? { pending.first?.deadline }
  /// The request that is answered next.
  var first: Request? { pending.first?.request }

  mutating func append(_ request: Request, deadline: ContinuousClock.Instant, waiter: Waiter) {
    pending.append(Pending(request: request, deadline: deadline, waiter: waiter))
  }

  /// Removes the first request. The next one has time until `deadline` at least: the broker begins with it only now.
  ///
  /// - Returns: the waiter of the first request.
  mutating func answer(_ reply: Reply, nextUntil deadline: ContinuousClock.Instant) throws(UnexpectedReply) -> Waiter {
    guard let first = pending.first, first.request.isAnswered(by: reply) else {
      throw UnexpectedReply(reply: reply, expected: pending.first?.request)
    }
    pending.removeFirst()
    if let next = pending.first { pending[0].deadline = max(next.deadline, deadline) }
    return first.waiter
  }

  /// Gives every request time until the deadline.
  mutating func postpone(to deadline: ContinuousClock.Instant) {
    for index in pending.indices { pending[index].deadline = deadline }
  }

  /// - Returns: the waiters of all requests, in the order of sending.
  mutating func removeAll() -> [Waiter] {
    defer { pending.removeAll() }
    return pending.map(\.waiter)
  }
}
