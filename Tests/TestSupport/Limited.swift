/// How long a test waits for what must come; generous, because it is only ever spent on failure.
package let patience: Duration = .seconds(240)

/// Waits for what the body returns.
/// - Parameters:
///   - name: what is waited for, as it shall stand in the failure.
///   - limit: how long.
///   - body: must end when it is cancelled.
/// - Returns: what the body returns.
/// - Throws: `TimeLimitExceeded`, or what the body throws.
package func limited<Value: Sendable>(
  _ name: String, within limit: Duration = patience, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimeLimitExceeded(name: name, limit: limit, lastState: "it has not come")
    }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
