import AuditSupport
import Bookkeeping
import JobModel

// What holds of plans after every turn that has changed one of their jobs.
extension CoordinatorNode {
  func checkPlans(_ changes: [JobChange]) {
    // A ledger that was rolled back holds what it has as it finds it.
    guard !world.isRolledBack, !world.otherLedgerServed, changes.contains(where: { $0.plan != nil }),
      let reading = try? AuditSupport.LedgerReading(file.url)
    else { return }
    if changes.contains(where: { $0.plan != nil && $0.to == .held }), let event = try? reading.eventBeforeRun() {
      world.failures.append("\(name) has \(event) hold up the run of its plan that is under way")
    }
    guard second == nil, let steps = world.record.steps else { return }
    for change in changes where change.plan != nil && change.from == .held && change.to == .queued {
      let returning = try? reading.returning(before: change.job.id, on: steps.reentry, names: steps.goingBack)
      guard let returning else { continue }
      world.failures.append("\(name) goes on to \(change.job.id), and its plan has to go back for \(returning)")
    }
  }
}
