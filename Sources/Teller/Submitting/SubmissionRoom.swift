import DequeModule
import Synchronization

/// The room for submissions on their way to the broker. While the broker takes nothing, only so many wait inside the
/// client; the others wait for room, in the order in which they came. Where that is in vain, as much as the room itself
/// may wait for it.
final class SubmissionRoom: Sendable {
  /// How much of the room messages take.
  struct Load: Hashable, Sendable {
    var messages: Int
    var bytes: Int

    static let zero = Load(messages: 0, bytes: 0)
    /// The room. Far more than the broker has unconfirmed of one connection, so that it never waits for a submission.
    static let limit = Load(messages: 8_192, bytes: 32 << 20)

    func plus(_ other: Load) -> Load { Load(messages: messages + other.messages, bytes: bytes + other.bytes) }
    func minus(_ other: Load) -> Load { Load(messages: messages - other.messages, bytes: bytes - other.bytes) }

    var isWithinLimit: Bool { messages <= Load.limit.messages && bytes <= Load.limit.bytes }
  }

  private struct Waiter {
    let id: UInt64
    let load: Load
    let turn = OneShot<Void>()
  }

  private struct State {
    var used = Load.zero
    var waiting: Deque<Waiter> = []
    /// Of those who wait.
    var awaited = Load.zero
    var last: UInt64 = 0

    /// A load beyond the limit has the whole room, alone.
    func fits(_ load: Load) -> Bool { used == .zero || used.plus(load).isWithinLimit }

    /// The waiters that have room by now, and take it.
    mutating func admitted() -> [Waiter] {
      var admitted: [Waiter] = []
      while let next = waiting.first, fits(next.load) {
        waiting.removeFirst()
        awaited = awaited.minus(next.load)
        used = used.plus(next.load)
        admitted.append(next)
      }
      return admitted
    }
  }

  private let state = Mutex(State())

  /// The room that is taken.
  var used: Load { state.withLock { $0.used } }

  /// How many wait for room.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Runs a body once there is room for the load, which it takes meanwhile. `obstacle`: what keeps everybody from coming
  /// through at this moment. Where there is one, and so many wait already, it is thrown at once.
  func with<Value>(
    _ load: Load, unless obstacle: () -> TellerError?, _ body: () async throws -> Value
  ) async throws -> Value {
    try await enter(load, obstacle)
    defer { leave(load) }
    return try await body()
  }

  /// Runs a body if there is room for the load at once.
  ///
  /// - Returns: nil: there is none, and nothing was run.
  func ifRoom<Value>(for load: Load, _ body: () async throws -> Value) async throws -> Value? {
    let hasRoom = state.withLock { state in
      guard state.waiting.isEmpty, state.fits(load) else { return false }
      state.used = state.used.plus(load)
      return true
    }
    guard hasRoom else { return nil }
    defer { leave(load) }
    return try await body()
  }

  private func enter(_ load: Load, _ obstacle: () -> TellerError?) async throws {
    guard let waiter = try takeOrWait(load, obstacle) else { return }
    do {
      try await waiter.turn.value
    } catch {
      giveUp(waiter)
      throw error
    }
  }

  /// - Returns: nil: the load has room, and has taken it.
  private func takeOrWait(_ load: Load, _ obstacle: () -> TellerError?) throws -> Waiter? {
    try state.withLock { state in
      if state.waiting.isEmpty, state.fits(load) {
        state.used = state.used.plus(load)
        return nil
      }
      let awaited = state.awaited.plus(load)
      if !state.waiting.isEmpty, !awaited.isWithinLimit, let obstacle = obstacle() { throw obstacle }
      state.last += 1
      let waiter = Waiter(id: state.last, load: load)
      state.waiting.append(waiter)
      state.awaited = awaited
      return waiter
    }
  }

  private func giveUp(_ waiter: Waiter) {
    admit(after: { state in
      let count = state.waiting.count
      state.waiting.removeAll { $0.id == waiter.id }
      if state.waiting.count < count {
        state.awaited = state.awaited.minus(waiter.load)
      } else {
        // It had its turn already, in the moment in which its task was cancelled.
        state.used = state.used.minus(waiter.load)
      }
    })
  }

  private func leave(_ load: Load) {
    admit(after: { $0.used = $0.used.minus(load) })
  }

  private func admit(after change: (inout State) -> Void) {
    let admitted = state.withLock { state in
      change(&state)
      return state.admitted()
    }
    for waiter in admitted { waiter.turn.fulfil() }
  }
}
