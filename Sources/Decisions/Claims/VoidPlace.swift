package import JobModel

/// What the coordinator knows of a void release that keeps a place in the window: its job has ended, or has another
/// release, and its message may still be in the queue.
package struct VoidPlace: Hashable, Sendable {
  /// The job's acceptance number.
  package let number: Int64
  package let place: WindowPlace
  /// For people.
  package let since: Timestamp
  /// When it became void, on the session's clock.
  package internal(set) var heldSince: Duration
  /// Its message is in the queue, or will never be. Of a message that is still being published, an empty queue says
  /// nothing.
  package internal(set) var isSettled: Bool

  package init(number: Int64, place: WindowPlace, since: Timestamp, heldSince: Duration, isSettled: Bool) {
    (self.number, self.place, self.since) = (number, place, since)
    (self.heldSince, self.isSettled) = (heldSince, isSettled)
  }

  package var department: Department { place.queue.department }
}

/// What is to be changed of a released job, once no worker can have it.
package enum Change: Hashable, Sendable {
  /// Another priority, or another place in its order; the answer goes to that address.
  case rerank(Priority, OrderKey?, Standing, AnswerAddress?)
  /// It had to be started by a time that has passed.
  case tooLate
  /// It has waited for long, and is published on a higher level, before jobs that came later.
  case age
}
