import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Cancels the jobs, and plans, that are named.
  func cancel(_ ids: [JobID], because reason: JobFailure) throws(LedgerError) -> ChangeDocument {
    try turn { turn in
      var document = ChangeDocument()
      for id in ids {
        if let problem = try cancel(id, because: reason, turn) {
          document.unchanged.append(ChangeDocument.Unchanged(job: id, reason: problem))
        } else {
          document.changed.append(id)
        }
      }
      try fill(turn)
      return document
    }
  }

  /// Nil when it was cancelled, else why not.
  private func cancel(
    _ id: JobID, because reason: JobFailure, _ turn: Turn
  ) throws -> String? {
    if let job = try turn.ledger.job(id) {
      guard job.outcome == nil else { return "ended" }
      try end(job, .cancelled(reason), turn)
      return nil
    }
    guard let plan = try turn.ledger.plan(id) else { return "unknown" }
    guard plan.outcome == nil else { return "ended" }
    try cancel(plan, because: reason, turn)
    return nil
  }

  /// Ends a job that has no outcome, wherever it is. What runs is told to stop; its report changes nothing any more.
  func end(
    _ job: Job, _ event: JobTransition, _ turn: Turn
  ) throws {
    if let live = released[job.id] { return try end(live, event, turn) }
    var job = job
    guard job.progress.state == .held, case .finish(let outcome) = job.progress.apply(event) else { return }
    self[desk: job.department].unhold(job.hold, job.priority)
    // Of an ordered department the next one may go.
    unfilled.insert(job.department)
    try conclude(Concluded(job), outcome, Ending(at: now), turn)
    if let plan = job.plan { try advance(plan, afterStep: job.id, outcome, turn) }
  }

  /// Ends a released job. Its release stays void, and keeps its place, until nobody can have it; who claims it meanwhile
  /// is answered when it is certain that nobody else runs it.
  private func end(
    _ job: LiveJob, _ event: JobTransition, _ turn: Turn
  ) throws {
    var job = job
    guard case .finish(let outcome) = job.progress.apply(event) else { return }
    dropChange(of: job.release, turn)
    released[job.id] = nil
    try makeVoid(job.release, VoidPlace(of: job, slot: job.slot), turn)
    try conclude(Concluded(job), outcome, Ending(at: now), turn)
    if let plan = job.plan { try advance(plan, afterStep: job.id, outcome, turn) }
  }
}
