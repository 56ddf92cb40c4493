import DequeModule
import Synchronization

/// Deliveries that wait for their reader, in the order of the wire.
///
/// Several consumers of one connection may share an inbox. Its reader then gets their deliveries in the order in which the
/// broker sent them. The sum of their prefetch counts bounds the inbox. It finishes when the connection ends. Deliveries
/// that were not read by then are dropped: nobody can ack them any more, and the broker delivers them again. An inbox
/// serves one connection; make another inbox for the next connection.
package final class DeliveryInbox: Sendable {
  private struct Waiter {
    let id: UInt64
    let limit: Int
    let byteLimit: Int
    let continuation: CheckedContinuation<[Delivery]?, Never>
  }

  private struct State {
    var deliveries: Deque<Delivery> = []
    var waiters: Deque<Waiter> = []
    var isFinished = false
    var lastWaiter: UInt64 = 0

    mutating func take(for waiter: Waiter) -> [Delivery] {
      var (count, bytes) = (0, 0)
      while count < min(deliveries.count, waiter.limit), bytes < waiter.byteLimit {
        bytes += deliveries[count].body.count
        count += 1
      }
      let batch = Array(deliveries.prefix(count))
      deliveries.removeFirst(count)
      return batch
    }
  }

  private let state = Mutex(State())
  /// Takes the deliveries at once; nil: they wait for a reader.
  private let handler: (@Sendable ([Delivery]) -> Void)?

  package init() { handler = nil }

  /// An inbox without a reader: the handler takes the deliveries on the thread of the connection, which it must not keep
  /// for long.
  init(handler: @escaping @Sendable ([Delivery]) -> Void) { self.handler = handler }

  /// Waits for a delivery, then takes it and the deliveries behind it that have come.
  ///
  /// - Parameters:
  ///   - limit: how many deliveries to take at most; at least one.
  ///   - byteLimit: the batch ends with the delivery that brings the bodies to that many bytes together.
  ///   - isolation: the caller's isolation.
  /// - Returns: `nil` when the inbox has finished, or when the calling task is cancelled while the inbox is empty.
  package func nextBatch(
    atMost limit: Int, bytes byteLimit: Int = .max, isolation: isolated (any Actor)? = #isolation
  ) async -> [Delivery]? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      // A closure that does not name the isolation has none: its task would go on by way of another thread.
      _ = isolation
      return await withCheckedContinuation { continuation in
        wait(Waiter(id: id, limit: max(1, limit), byteLimit: max(1, byteLimit), continuation: continuation))
      }
    } onCancel: {
      cancelWaiter(id)
    }
  }

  /// Takes all deliveries that have come, and waits for none.
  package func takeWaiting() -> [Delivery] {
    state.withLock { state in
      defer { state.deliveries.removeAll() }
      return Array(state.deliveries)
    }
  }

  private func wait(_ waiter: Waiter) {
    let answer: [Delivery]?? = state.withLock { state in
      if !state.deliveries.isEmpty { return .some(state.take(for: waiter)) }
      // Under the lock: a later cancellation finds the waiter, and an earlier one is seen here.
      if state.isFinished || Task.isCancelled { return .some(nil) }
      state.waiters.append(waiter)
      return .none
    }
    if let answer { waiter.continuation.resume(returning: answer) }
  }

  private func cancelWaiter(_ id: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: nil)
  }
}

extension DeliveryInbox {
  /// Hands deliveries to the handler, where there is one. Else does nothing once the inbox has finished.
  func append(_ deliveries: [Delivery]) {
    if let handler { return handler(deliveries) }
    let served = state.withLock { state -> [(Waiter, [Delivery])] in
      if state.isFinished { return [] }
      state.deliveries.append(contentsOf: deliveries)
      var served: [(Waiter, [Delivery])] = []
      while !state.deliveries.isEmpty, let waiter = state.waiters.popFirst() {
        served.append((waiter, state.take(for: waiter)))
      }
      return served
    }
    for (waiter, batch) in served { waiter.continuation.resume(returning: batch) }
  }

  /// Ends the inbox for its readers. With `droppingRest` they do not get the deliveries that are still in it.
  func finish(droppingRest: Bool) {
    let waiters = state.withLock { state in
      state.isFinished = true
      if droppingRest { state.deliveries.removeAll() }
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }
}
