import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Cancels the jobs, and plans, that are named.
  func cancel(_ ids: [JobID], because reason: JobFailure) throws(LedgerError) -> ChangeDocument {
    try turn { transaction, outgoing in
      var document = ChangeDocument()
      for id in ids {
        if let problem = try cancel(id, because: reason, transaction, &outgoing) {
          document.unchanged.append(ChangeDocument.Unchanged(job: id, reason: problem))
        } else {
          document.changed.append(id)
        }
      }
      try fill(transaction, &outgoing)
      return document
    }
  }

  /// Nil when it was cancelled, else why not.
  private func cancel(
    _ id: JobID, because reason: JobFailure, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws -> String? {
    if let job = try transaction.job(id) {
      guard job.outcome == nil else { return "ended" }
      try end(job, .cancelled(reason), transaction, &outgoing)
      return nil
    }
    guard let plan = try transaction.plan(id) else { return "unknown" }
    guard plan.outcome == nil else { return "ended" }
    try cancel(plan, because: reason, transaction, &outgoing)
    return nil
  }

  /// Ends a job that has no outcome, wherever it is. What runs is told to stop; its report changes nothing any more.
  func end(
    _ job: Job, _ event: JobEvent, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    if let live = released[job.id] { return try end(live, event, transaction, &outgoing) }
    var job = job
    guard job.progress.state == .held, case .finish(let outcome) = job.progress.apply(event) else { return }
    self[desk: job.department].unhold(job.hold, job.priority)
    // Of an ordered department the next one may go.
    unfilled.insert(job.department)
    try conclude(Concluded(job), outcome, Ending(at: now), transaction, &outgoing)
    if let plan = job.plan { try advance(plan, afterStep: job.id, outcome, transaction, &outgoing) }
  }

  /// Ends a released job. Its release stays void, and keeps its place, until nobody can have it; who claims it meanwhile
  /// is answered when it is certain that nobody else runs it.
  private func end(
    _ job: LiveJob, _ event: JobEvent, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    var job = job
    guard case .finish(let outcome) = job.progress.apply(event) else { return }
    dropChange(of: job.release, &outgoing)
    released[job.id] = nil
    try makeVoid(job.release, VoidPlace(of: job, slot: job.slot), transaction, &outgoing)
    try conclude(Concluded(job), outcome, Ending(at: now), transaction, &outgoing)
    if let plan = job.plan { try advance(plan, afterStep: job.id, outcome, transaction, &outgoing) }
  }
}
