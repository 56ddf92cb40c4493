import DequeModule

/// Requests without an answer. The broker answers the requests of one channel in the order of sending; only the answers
/// to requests about consumers may come later.
///
///     append ──▶  third   second   first  ──▶ answer
///                                  └ its time runs; that of the others begins later
///
/// A pure value. The `Waiter` of a request is told its answer.
struct PendingRequests<Waiter> {
  /// The broker's answer fits no request whose turn it is.
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
  /// The request that has waited for longest.
  var first: Request? { pending.first?.request }

  mutating func append(_ request: Request, deadline: ContinuousClock.Instant, waiter: Waiter) {
    pending.append(Pending(request: request, deadline: deadline, waiter: waiter))
  }

  /// Removes the request that the reply answers. If that was the first, the next one has time until `deadline` at
  /// least: the broker may begin with it only now.
  ///
  /// - Returns: the waiter of the request.
  mutating func answer(_ reply: Reply, nextUntil deadline: ContinuousClock.Instant) throws(UnexpectedReply) -> Waiter {
    // Nothing is answered before a request that is answered in turn.
    let turn = pending.firstIndex { $0.request.isAnsweredInTurn || $0.request.isAnswered(by: reply) }
    guard let turn, pending[turn].request.isAnswered(by: reply) else {
      throw UnexpectedReply(reply: reply, expected: pending.first?.request)
    }
    let waiter = pending.remove(at: turn).waiter
    if turn == 0, let next = pending.first { pending[0].deadline = max(next.deadline, deadline) }
    return waiter
  }

  /// Whether no other request waits for an answer than some of this kind.
  func areOnly(_ request: Request) -> Bool { pending.allSatisfy { $0.request == request } }

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
