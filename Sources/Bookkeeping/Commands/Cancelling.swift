import JobModel
import Ledger

/// Cancels jobs, and plans, that are named.
struct Cancelling {
  let ending: Ending
  let plans: PlanAdvancing

  func cancel(_ ids: [JobID], because reason: JobFailure, _ turn: Turn) throws -> JobChanges {
    var changes = JobChanges()
    for id in ids {
      if let problem = try cancel(id, because: reason, turn) {
        changes.unchanged.append(JobChanges.Unchanged(job: id, reason: problem))
      } else {
        changes.changed.append(id)
      }
      try plans.advance(turn)
    }
    return changes
  }

  /// Nil when it was cancelled, else why not.
  private func cancel(_ id: JobID, because reason: JobFailure, _ turn: Turn) throws -> JobChanges.Reason? {
    if let job = try turn.ledger.job(id) {
      guard job.outcome == nil else { return .ended }
      try ending.endJob(job, .cancelled(reason), turn)
      return nil
    }
    guard let plan = try turn.ledger.plan(id) else { return .unknown }
    guard plan.outcome == nil else { return .ended }
    try plans.cancel(plan, because: reason, turn)
    return nil
  }
}
