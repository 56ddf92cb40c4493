import AsyncAlgorithms

/// Ends a wait that takes too long. The body must end when it is cancelled.
///
/// - Throws: what the body throws, or `error` when the limit has passed first.
func within<Value: Sendable>(
  _ limit: Duration, orThrow error: @escaping @Sendable () -> TellerError,
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

/// Lets time pass, on a timer.
///
/// - Throws: `CancellationError`.
func pause(for time: Duration) async throws {
  try Task.checkCancellation()
  guard time > .zero else { return }
  for await _ in AsyncTimerSequence(interval: time, clock: .continuous) { break }
  try Task.checkCancellation()
}
