package import JobModel

/// What the coordinator knows of a void release that keeps a place in the window: its job has ended, or has another
/// release, and its message may still be in the queue.
package struct VoidPlace: Hashable, Sendable {
  /// The job's acceptance number.
  package let number: Int64
  package internal(set) var place: WindowPlace
  /// For people.
  package let since: Timestamp
  /// When the release became void, on the session's clock.
  package internal(set) var heldSince: Duration
  /// Whether the message is in the queue, or will never be. While the message is being published, an empty queue says
  /// nothing about it.
  package internal(set) var isPublishingOver: Bool

  package init(number: Int64, place: WindowPlace, since: Timestamp, heldSince: Duration, isPublishingOver: Bool) {
    (self.number, self.place, self.since) = (number, place, since)
    (self.heldSince, self.isPublishingOver) = (heldSince, isPublishingOver)
  }

  package var department: Department { place.queue.department }
}

/// What is to be changed of a released job, once no worker can have it.
package enum Change: Hashable, Sendable {
  /// The job gets another priority, or another place in its order. The answer goes to that address.
  case rerank(Priority, OrderKey?, Standing, AnswerAddress?)
  /// The job had to start by a time that has passed: it fails.
  case tooLate
  /// The job has waited for long: it is published on a higher level, before jobs that came later.
  case age
}
