import Synchronization

/// Wakes one who waits. A firing with nobody waiting is remembered, and several are one; once closed it wakes at once.
final class Signal: Sendable {
  private struct State {
    var isFired = false
    var isClosed = false
    var waiting: CheckedContinuation<Bool, Never>?
  }

  private let state = Mutex(State())

  func fire() {
    state.withLock { state in
      if let waiting = state.waiting.take() { waiting.resume(returning: true) } else { state.isFired = true }
    }
  }

  /// Returns true when fired, false when closed or when the task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          guard !state.isFired else {
            state.isFired = false
            return continuation.resume(returning: true)
          }
          // Asked under the lock: a cancellation after this finds the waiter, one before it is seen here.
          guard !state.isClosed, !Task.isCancelled else { return continuation.resume(returning: false) }
          state.waiting = continuation
        }
      }
    } onCancel: {
      state.withLock { $0.waiting.take()?.resume(returning: false) }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting.take()?.resume(returning: false)
    }
  }

  var isClosed: Bool { state.withLock(\.isClosed) }
}
