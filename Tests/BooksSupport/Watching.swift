import Synchronization

@testable import Bookkeeping

/// Is told every change of a job's state.
final class Watching: Sendable {
  private let changes = Mutex<[JobChange]>([])
  private let then: @Sendable () -> Void

  /// `then`: is called whenever something is told, on the thread of the bookkeeper.
  init(then: @escaping @Sendable () -> Void = {}) { self.then = then }

  func take(_ new: [JobChange]) {
    changes.withLock { $0 += new }
    then()
  }

  /// What has been told since the last call.
  func takeAll() -> [JobChange] {
    changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
  }
}
