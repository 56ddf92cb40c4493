// A task that is added to a group is queued for a thread, which has to be woken. A task that begins at once runs here until
// it waits. On a system without such tasks it is added.

extension ThrowingTaskGroup {
  /// Adds a task that begins at once, here.
  package mutating func begin(_ body: @escaping @Sendable () async throws -> ChildTaskResult) {
    if #available(macOS 26.0, *) { addImmediateTask(operation: body) } else { addTask(operation: body) }
  }
}

extension ThrowingDiscardingTaskGroup {
  /// Adds a task that begins at once, here.
  package mutating func begin(_ body: @escaping @Sendable () async throws -> Void) {
    if #available(macOS 26.0, *) { addImmediateTask(operation: body) } else { addTask(operation: body) }
  }
}
