package import JobModel

/// A release's place in the window of its department, and the queue in which its message lies.
package struct WindowPlace: Hashable, Sendable {
  package let queue: JobQueue
  package let priority: Priority
  package let slot: Window.Slot

  /// Whether the message lies in the queue of its kind, and not in its department's.
  package var isBeside: Bool { queue.kind != nil }
}
