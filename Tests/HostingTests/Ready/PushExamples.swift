import JobModel
import TestSupport

@testable import Hosting

extension PushLimits {
  /// Short pauses, so that a test need not wait for them; a long end, because it is only spent on failure.
  static var quick: PushLimits {
    var limits = PushLimits()
    (limits.firstPause, limits.longestPause) = (.milliseconds(1), .milliseconds(4))
    (limits.lastRound, limits.shortLastRound) = (patience, patience)
    return limits
  }
}

extension EventStatus {
  /// An event that was received.
  static func example(_ id: JobID) -> EventStatus {
    EventStatus(
      id: id, name: "push", plan: "day", state: .acted, department: "work", kind: "push", receivedAt: .now(),
      decidedAt: nil)
  }
}
