import AuditSupport
import JobModel
import Teller

extension WorkerNode {
  /// A worker never takes it for earlier than it is at the coordinator that has welcomed it: what was released by then would
  /// seem new.
  func checkLedgerTime() throws {
    guard let coordinator = world.coordinators.first, coordinator.phase == .serving, coordinator.began < linesSince,
      !world.isRolledBack, !world.otherLedgerServed, !world.faults.contains(.stepClock),
      !world.faults.contains(.loseMachine), state.isWelcomed, let latest = state.latestLedgerTime(at: instant)
    else { return }
    let present = try coordinator.ledgerTime
    guard latest < present else { return }
    world.failures.append("\(name) takes it for \(latest) at most by the ledger's clock, and it is \(present)")
  }
}
