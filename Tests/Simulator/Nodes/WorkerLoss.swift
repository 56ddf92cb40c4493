import AMQP
import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// Whom a coordinator waits for no longer.
extension CoordinatorNode {
  /// A worker that was well for so long is not silent: longer than a lease, and what it takes to connect anew.
  private static let wellness: Duration = .seconds(15)

  /// No worker is given up that lives, and could be heard all the time: also not where the coordinator itself stood still,
  /// or heard nobody.
  func checkGivenUp(_ workers: Set<WorkerID>) {
    guard !workers.isEmpty, !world.isRolledBack, !world.otherLedgerServed else { return }
    for node in world.workers where workers.contains(node.worker) && node.wasWell(for: CoordinatorNode.wellness) {
      world.failures.append("\(name) gives up \(node.worker), which lives and announces itself")
    }
  }

  /// Its process may stand still between the arrival of a message and the look at it.
  func freezeBeforeHearing() {
    guard freezesBeforeHearing, !world.isHealed, let last = inboxes[Topology.Queue.presence]?.last,
      PresenceCodec.decode(last.0) == .pulse
    else { return }
    freezesBeforeHearing = false
    world.freeze(self)
  }
}

extension WorkerNode {
  /// Whether nothing has kept it from announcing itself for that long.
  func wasWell(for span: Duration) -> Bool {
    guard isAlive, frozenUntil == .zero, world.now - linesSince > span else { return false }
    return !world.cutOffs.contains { $0.concerns(pid, between: world.moment + (.zero - span), and: world.moment) }
  }
}
