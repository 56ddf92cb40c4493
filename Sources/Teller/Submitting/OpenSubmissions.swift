import Synchronization

/// Counts the submissions that are under way: a client that is closed waits for them.
final class OpenSubmissions: Sendable {
  private struct State {
    var count = 0
    var none: OneShot<Void>?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  func begin() { state.withLock { $0.count += 1 } }

  func end() {
    let none = state.withLock { state -> OneShot<Void>? in
      state.count -= 1
      return state.count == 0 ? state.none.take() : nil
    }
    none?.fulfil()
  }

  /// Waits until no submission is under way.
  func drained() async throws {
    let none = state.withLock { state -> OneShot<Void>? in
      guard state.count > 0 else { return nil }
      let none = state.none ?? OneShot()
      state.none = none
      return none
    }
    try await none?.value
  }
}
