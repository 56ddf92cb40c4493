import AsyncAlgorithms

/// Ends a wait that takes too long. The body must end when it is cancelled.
///
/// - Throws: the error of the body, or `error` when the limit has passed first.
package func within<Value: Sendable>(
  _ limit: Duration, orThrow error: @escaping @Sendable () -> any Error,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await body() }
    group.addTask {
      try await pause(for: limit)
      throw error()
    }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}

/// Waits for that time.
///
/// - Throws: `CancellationError`.
func pause(for time: Duration) async throws {
  try Task.checkCancellation()
  guard time > .zero else { return }
  for await _ in AsyncTimerSequence(interval: time, clock: .continuous) { break }
  try Task.checkCancellation()
}
