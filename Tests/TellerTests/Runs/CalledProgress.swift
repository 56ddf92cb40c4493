import JobModel
import Synchronization

/// What a handler has said.
final class CalledProgress: Sendable {
  private let said = Mutex<[RunProgress]>([])

  var all: [RunProgress] { said.withLock(\.self) }

  func note(_ progress: RunProgress) { said.withLock { $0.append(progress) } }
}
