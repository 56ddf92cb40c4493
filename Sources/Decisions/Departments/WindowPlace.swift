package import JobModel

/// A release's place in the window of its department, and the queue in which its message lies.
package struct WindowPlace: Hashable, Sendable {
  package let queue: JobQueue
  package let priority: Priority
  package let slot: Window.Slot
  /// Of a job in an order: what it is a part of.
  package let group: OrderGroup?

  package init(queue: JobQueue, priority: Priority, slot: Window.Slot, group: OrderGroup? = nil) {
    (self.queue, self.priority, self.slot, self.group) = (queue, priority, slot, group)
  }

  /// Whether the message lies in the queue of its kind, and not in its department's.
  package var isBeside: Bool { queue.kind != nil }
}
