import DequeModule
import Synchronization

/// Events on their way from the connection to the one who reads them. Bounded: whoever fills it waits for room first, so
/// that what was taken from the stream is never dropped.
final class EventBuffer: Sendable {
  /// How many events wait for their reader before no more are taken from the stream.
  static let limit = 1_000

  private struct State {
    var events: Deque<JobEvent> = []
    var error: (any Error)?
    /// Fulfilled when something has come; made by the reader that found nothing.
    var arrival: OneShot<Void>?
    /// Fulfilled when there is room; made by the first that found none.
    var room: OneShot<Void>?
  }

  private let state = Mutex(State())

  /// Waits until less than the limit is waiting.
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

  /// Adds events, however many there are.
  func append(_ events: [JobEvent]) {
    guard !events.isEmpty else { return }
    let arrival = state.withLock { state in
      state.events.append(contentsOf: events)
      return state.arrival.take()
    }
    arrival?.fulfil(.success(()))
  }

  /// No more will come; what is there is read first.
  func fail(_ error: any Error) {
    let arrival = state.withLock { state in
      state.error = state.error ?? error
      return state.arrival.take()
    }
    arrival?.fulfil(.success(()))
  }

  /// Waits for the next event.
  ///
  /// - Throws: what the buffer failed with, once it is empty, or `CancellationError`.
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
      room?.fulfil(.success(()))
      if let event { return event }
      try await arrival?.value
    }
  }
}
