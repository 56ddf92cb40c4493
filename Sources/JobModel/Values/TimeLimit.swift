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
      try await Task.sleep(for: limit)
      throw error()
    }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
