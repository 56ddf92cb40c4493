import DequeModule
import Synchronization

/// Events on their way from the connection to their reader. Bounded: the connection's side waits for room before it takes
/// events from the stream, so no such event is ever dropped.
final class EventBuffer: Sendable {
  /// With so many events in it there is no room.
  static let limit = 1_000

  private struct State {
    var events: Deque<JobEvent> = []
    var error: (any Error)?
    /// Fulfilled when an event or an error has come; made by the reader that found neither.
    var arrival: OneShot<Void>?
    /// Fulfilled when there is room; made by the first task that found none.
    var room: OneShot<Void>?
  }

  private let state = Mutex(State())

  /// Whether there is no room now.
  var isFull: Bool { state.withLock { $0.events.count >= EventBuffer.limit } }

  /// Waits for room.
  ///
  /// - Throws: `CancellationError`.
  func room() async throws {
    while true {
      let room = state.withLock { state -> OneShot<Void>? in
        guard state.events.count >= EventBuffer.limit else { return nil }
        let room = state.room ?? OneShot()
        state.room = room
        return room
      }
      guard let room else { return }
      try await room.value
    }
  }

  /// Adds events, even beyond the limit.
  func append(_ events: [JobEvent]) {
    guard !events.isEmpty else { return }
    let arrival = state.withLock { state in
      state.events.append(contentsOf: events)
      return state.arrival.take()
    }
    arrival?.fulfil()
  }

  /// Ends the events with an error. The events in the buffer are read before it.
  func fail(_ error: any Error) {
    let arrival = state.withLock { state in
      state.error = state.error ?? error
      return state.arrival.take()
    }
    arrival?.fulfil()
  }

  /// Waits for the next event.
  ///
  /// - Throws: the error of ``fail(_:)`` once the buffer is empty, or `CancellationError`.
  func next() async throws -> JobEvent {
    while true {
      try Task.checkCancellation()
      let (event, room, arrival) = try state.withLock { state -> (JobEvent?, OneShot<Void>?, OneShot<Void>?) in
        if let event = state.events.popFirst() {
          return (event, state.events.count < EventBuffer.limit ? state.room.take() : nil, nil)
        }
        if let error = state.error { throw error }
        let arrival = state.arrival ?? OneShot()
        state.arrival = arrival
        return (nil, nil, arrival)
      }
      room?.fulfil()
      if let event { return event }
      try await arrival?.value
    }
  }
}
