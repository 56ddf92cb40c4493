import AuditSupport
import Bookkeeping
import Decisions
import JobModel

// What holds of plans after every turn that has changed one of their jobs.
extension CoordinatorNode {
  func checkPlans(_ changes: [JobChange]) {
    // A ledger that was rolled back holds what it has as it finds it.
    guard !world.isRolledBack, !world.otherLedgerServed, changes.contains(where: { $0.plan != nil }),
      let reading = try? file.reading
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

  /// What waits until the plan of the configuration is open is not released before.
  func checkGate(_ changes: [JobChange]) {
    guard second == nil, let reading = try? file.reading else { return }
    let isShut = (try? reading.areGatesOpen(of: Opening.name.name)) == false
    defer { wasBehindShut = isShut }
    guard isShut, wasBehindShut else { return }
    for change in changes where change.from == .held && change.to == .queued {
      guard change.job.department == Departments.behind else { continue }
      world.failures.append("\(name) releases \(change.job.id), and the plan that it waits for is not open")
    }
  }

  /// An event of a plan that does not run goes where the configuration has the plan.
  func checkEvents(_ changes: [JobChange]) {
    guard second == nil, !isReconfigured, let settings = configuration.plans[Opening.name] else { return }
    for change in changes where change.from == nil {
      guard let plan = change.plan, let reading = try? file.reading,
        (try? reading.isOfEvent(change.job.id)) == true, let run = try? reading.lastRun(plan),
        run.name == Opening.name.name
      else { continue }
      let wanted = run.isRunning ? run.department : settings.definition.department.name
      if change.job.department.name == wanted { continue }
      world.failures.append("\(name) acts on \(change.job.id) in \(change.job.department), and not in \(wanted)")
    }
  }
}
