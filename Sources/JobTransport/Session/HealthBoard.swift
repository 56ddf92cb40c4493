package import JobModel
import Synchronization

/// The signs of life of a process, told by its parts and read by whoever asks for its health: never waits for any of
/// them, so that a part that hangs is told of, not waited for.
package final class HealthBoard: Sendable {
  private let signs = Mutex(SignsOfLife())
  private let origin = ContinuousClock.now

  package init() {}

  /// The part goes on.
  package func renew(_ part: String) {
    let now = now
    signs.withLock { $0.renew(part, at: now) }
  }

  /// The part has taken something to do; to be followed by ``end(_:turn:)``. Turns of one part that go on at once have a
  /// number each.
  package func begin(_ part: String, turn: UInt64 = 0) {
    let now = now
    signs.withLock { $0.begin(part, turn: turn, at: now) }
  }

  /// The part has done it.
  package func end(_ part: String, turn: UInt64 = 0) { signs.withLock { $0.end(part, turn: turn) } }

  /// What the parts have told, and the present moment on the clock of that.
  package var snapshot: (signs: SignsOfLife, now: Duration) { (signs.withLock { $0 }, now) }

  private var now: Duration { ContinuousClock.now - origin }
}

extension BrokerState {
  /// The check that there is a connection on which messages may be published.
  package var check: HealthReport.Check {
    switch self {
    case .connected: HealthReport.Check("broker", isOK: true, detail: "connected")
    case .blocked:
      HealthReport.Check("broker", isOK: false, detail: "it takes no messages: it is short of memory or disk")
    case .lost: HealthReport.Check("broker", isOK: false, detail: "not connected")
    }
  }
}
