// A task that is added to a group is queued for a thread, which has to be woken; one that begins at once goes elsewhere only
// where it waits. Systems that cannot do that add it.

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
