import JobModel
import JobTransport
import Ledger

/// Cancels jobs, and plans, that are named.
struct Cancelling {
  let ending: Ending
  let plans: Plans

  func cancel(_ ids: [JobID], because reason: JobFailure, _ turn: Turn) throws -> ChangeDocument {
    var document = ChangeDocument()
    for id in ids {
      if let problem = try cancel(id, because: reason, turn) {
        document.unchanged.append(ChangeDocument.Unchanged(job: id, reason: problem))
      } else {
        document.changed.append(id)
      }
      try plans.advance(turn)
    }
    return document
  }

  /// Nil when it was cancelled, else why not.
  private func cancel(_ id: JobID, because reason: JobFailure, _ turn: Turn) throws -> String? {
    if let job = try turn.ledger.job(id) {
      guard job.outcome == nil else { return "ended" }
      try ending.endJob(job, .cancelled(reason), turn)
      return nil
    }
    guard let plan = try turn.ledger.plan(id) else { return "unknown" }
    guard plan.outcome == nil else { return "ended" }
    try plans.cancel(plan, because: reason, turn)
    return nil
  }
}
