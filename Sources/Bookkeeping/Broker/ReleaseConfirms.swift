package import JobModel
import Synchronization

/// A release that the broker does not take, with the broker's words.
package struct RefusedRelease: Sendable {
  package var release: ReleaseID
  package var reason: String

  package init(release: ReleaseID, reason: String) { (self.release, self.reason) = (release, reason) }
}

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
