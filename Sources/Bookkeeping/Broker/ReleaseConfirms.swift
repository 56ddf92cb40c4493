import JobModel
import Synchronization

/// Releases that the broker has confirmed, on their way to the books. A confirm changes nothing by itself: the next turn takes
/// in all that have come. So nobody wakes the thread of the books for one.
final class ReleaseConfirms: Sendable {
  private let releases = Mutex<[ReleaseID]>([])

  func add(_ confirmed: [ReleaseID]) { releases.withLock { $0 += confirmed } }

  func take() -> [ReleaseID] {
    releases.withLock { releases in
      defer { releases = [] }
      return releases
    }
  }
}
