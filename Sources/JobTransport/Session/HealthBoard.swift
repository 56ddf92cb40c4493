package import JobModel
import Synchronization

/// The signs of life of a process: its parts give them, and its health is made from them. The board never waits for a part,
/// so that a part that hangs can be reported.
package final class HealthBoard: Sendable {
  private let signs = Mutex(SignsOfLife())
  private let out = Mutex<[String: String]>([:])

  package init() {}

  /// Notes that a part goes on.
  package func renew(_ part: String) { renew(part, at: SessionClock.now) }

  /// The same of a moment, by the clock of this process: for a part that does not read it by itself.
  package func renew(_ part: String, at moment: Duration) { signs.withLock { $0.renew(part, at: moment) } }

  /// How long before that moment a part was last renewed; nil: never.
  package func age(of part: String, at moment: Duration) -> Duration? {
    signs.withLock { $0.age(of: part, at: moment) }
  }

  /// Notes that a part has begun a turn; to be followed by ``end(_:turn:)``. Turns of one part at the same time have a number
  /// each.
  package func begin(_ part: String, turn: UInt64 = 0) {
    let now = SessionClock.now
    signs.withLock { $0.begin(part, turn: turn, at: now) }
  }

  /// Notes that a part has ended its turn.
  package func end(_ part: String, turn: UInt64 = 0) { signs.withLock { $0.end(part, turn: turn) } }

  /// Notes what people should know, and what does not make the process less ready; a later note of the same name counts. Nil:
  /// there is nothing any more.
  package func warn(_ name: String, _ detail: String?) { signs.withLock { $0.warn(name, detail) } }

  /// Shows which departments are out, and why.
  package func show(departmentsOut reasons: [String: String]) { out.withLock { $0 = reasons } }

  /// The departments that are out, and why; the others are served.
  package var departmentsOut: [String: String] { out.withLock { $0 } }

  /// The signs of life, and the present moment on their clock.
  package var snapshot: (signs: SignsOfLife, now: Duration) { (signs.withLock { $0 }, SessionClock.now) }
}

extension BrokerState {
  /// The check that the process is connected, and the broker takes messages: see ``BrokerSession/check``.
  package var check: HealthReport.Check {
    switch self {
    case .connected: HealthReport.Check("broker", isOK: true, detail: "connected")
    case .blocked:
      HealthReport.Check("broker", isOK: false, detail: "it takes no messages: it is short of memory or disk")
    case .lost: HealthReport.Check("broker", isOK: false, detail: "not connected")
    }
  }
}
