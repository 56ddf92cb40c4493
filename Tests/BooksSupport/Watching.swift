import Synchronization

@testable import Bookkeeping

/// Is told every change of a job's state.
final class Watching: Sendable {
  private let changes = Mutex<[JobChange]>([])

  func take(_ new: [JobChange]) { changes.withLock { $0 += new } }

  /// What has been told since the last call.
  func takeAll() -> [JobChange] {
    changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
  }
}
