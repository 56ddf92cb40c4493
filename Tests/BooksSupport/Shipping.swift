import Ledger
import Synchronization

/// Takes what turns write, in the place of a second machine.
final class Shipping: Sendable {
  private struct State {
    var taken: [ChangeSet] = []
    var last: Int64 = 0
  }

  private let state = Mutex(State())

  func take(_ changes: ChangeSet) {
    state.withLock { state in
      state.taken.append(changes)
      state.last = changes.turn
    }
  }

  /// The last turn that has come.
  var last: Int64 { state.withLock(\.last) }

  /// What has come since the last call.
  func takeAll() -> [ChangeSet] {
    state.withLock { state in
      defer { state.taken = [] }
      return state.taken
    }
  }
}
