import Decisions
package import JobModel
package import Ledger

extension Bookkeeper {
  /// How many jobs a command about many jobs would change now: from memory, or counted in the ledger's indexes beside the
  /// flow.
  package func count(
    _ action: OperationRecord.Action, department: Department?, kind: JobKind?
  ) async throws(LedgerError) -> JobCount {
    let word = JobOperation.Action(rawValue: action.rawValue)
    guard action.isCancelling else {
      let failed = try await ledger.read { try $0.failedCount(department: department, kind: kind) }
      return JobCount(word, department: department, kind: kind, failed: failed)
    }
    let recorded = try await ledger.read { queries in
      // A step is cancelled by its kind, and a plan is not.
      guard let kind else { return (held: 0, plans: try queries.openPlanCount(department: department)) }
      return (held: try queries.heldCount(department: department, kind: kind), plans: 0)
    }
    let released = releasedCount(department: department, kind: kind)
    return JobCount(
      word, department: department, kind: kind, held: kind == nil ? heldCount(department) : recorded.held,
      queued: released.queued, running: released.running, plans: recorded.plans)
  }

  private func heldCount(_ department: Department?) -> Int {
    let books = parts.departments.books.filter { department == nil || $0.key == department }
    return books.values.reduce(0) { $0 + $1.heldCount }
  }

  private func releasedCount(department: Department?, kind: JobKind?) -> (queued: Int, running: Int) {
    var count = (queued: 0, running: 0)
    for job in parts.releases.live.values
    where job.department == department ?? job.department && job.kind == kind ?? job.kind {
      if job.progress.visibleState == .running { count.running += 1 } else { count.queued += 1 }
    }
    return count
  }
}
