import Synchronization

/// A value that arrives once, and the one who waits for it, for a limited time. The first arrival counts; later ones
/// change nothing, so a value, a failure and the limit may race.
final class Arrival<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var waiting: CheckedContinuation<Value, any Error>?
  }

  private let state = Mutex(State())

  func arrive(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: result)
  }

  /// Waits for the value. To be called once.
  /// - Throws: the failure that arrived, `late()` when the limit has passed, or `CancellationError`.
  func value(within limit: Duration, orThrow late: @escaping @Sendable () -> any Error) async throws -> Value {
    let timer = Task {
      try await Task.sleep(for: limit)
      arrive(.failure(late()))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait(with: $0) }
    } onCancel: {
      arrive(.failure(CancellationError()))
    }
  }

  private func wait(with continuation: CheckedContinuation<Value, any Error>) {
    let arrived = state.withLock { state -> Result<Value, any Error>? in
      if state.result == nil { state.waiting = continuation }
      return state.result
    }
    if let arrived { continuation.resume(with: arrived) }
  }
}
