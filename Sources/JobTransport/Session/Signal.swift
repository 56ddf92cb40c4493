import AsyncAlgorithms
import Synchronization

/// Wakes whoever waits. A firing while nobody waits is remembered; several such firings are one. A closed signal wakes at
/// once.
package final class Signal: Sendable {
  private struct State {
    var isFired = false
    var isClosed = false
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  package init() {}

  package func fire() { wakeAll(true) { $0.isFired = true } }

  package func close() { wakeAll(false) { $0.isClosed = true } }

  package var isClosed: Bool { state.withLock(\.isClosed) }

  /// Returns true when fired, false when closed or when the task is cancelled.
  package func wait() async -> Bool {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { register($0, as: waiter) }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: false)
    }
  }

  /// As ``wait()``, but for no longer than the limit: false also then.
  package func wait(atMost limit: Duration) async -> Bool {
    await withTaskGroup { group in
      group.addTask { await self.wait() }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) { break }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func register(_ continuation: CheckedContinuation<Bool, Never>, as waiter: Int) {
    let answer = state.withLock { state -> Bool? in
      if state.isFired {
        state.isFired = false
        return true
      }
      // Asked under the lock: a cancellation after this finds the waiter, one before it is seen here.
      if state.isClosed || Task.isCancelled { return false }
      state.waiting[waiter] = continuation
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  private func wakeAll(_ answer: Bool, _ remember: (inout State) -> Void) {
    let waiting = state.withLock { state in
      if state.waiting.isEmpty || !answer { remember(&state) }
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: answer) }
  }
}
