import Decisions
package import JobModel
package import Ledger

extension Bookkeeper {
  /// How many jobs a command about many jobs would change now: from memory, or counted in the ledger's indexes beside the
  /// flow.
  package func count(
    _ action: OperationRecord.Action, department: Department?, kind: JobKind?,
    narrowing: JobNarrowing = JobNarrowing()
  ) async throws(LedgerError) -> JobCount {
    let word = JobOperation.Action(rawValue: action.rawValue)
    if action == .acceptRestored || action == .dropRestored {
      let counts = try await ledger.read { try $0.restoredCounts(kind: kind) }
      let held = department.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
      return JobCount(word, department: department, kind: kind, held: held, queued: 0, running: 0, plans: 0)
    }
    if !narrowing.isEmpty { return try await countOneByOne(action, department, kind, narrowing) }
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

  /// How many jobs one read looks at: others read in between.
  private static let countedAtOnce = 1_000

  /// No index has the rest of a filter: each job of the department and the kind is looked at.
  private func countOneByOne(
    _ action: OperationRecord.Action, _ department: Department?, _ kind: JobKind?, _ narrowing: JobNarrowing
  ) async throws(LedgerError) -> JobCount {
    let word = JobOperation.Action(rawValue: action.rawValue)
    let wanted = parts.time.clock.inLedgerTime(narrowing)
    var (counts, position, isLast): ([JobState: Int], Int64, Bool) = ([:], 0, false)
    while !isLast {
      let (after, limit, isCancelling) = (position, Bookkeeper.countedAtOnce, action.isCancelling)
      let page = try await ledger.read { queries in
        isCancelling
          ? try queries.liveJobs(after: after, upTo: .max, department: department, kind: kind, limit: limit)
          : try queries.failedJobs(after: after, upTo: .max, department: department, kind: kind, limit: limit)
      }
      for job in page.jobs {
        let state = job.visibleState(isRunning: parts.releases.live.state(of: job.id) == .running)
        if wanted.passes(job, state) { counts[state, default: 0] += 1 }
      }
      (position, isLast) = (page.position, page.isLast)
    }
    guard action.isCancelling else {
      return JobCount(word, department: department, kind: kind, filter: narrowing, failed: counts[.failed] ?? 0)
    }
    return JobCount(
      word, department: department, kind: kind, filter: narrowing, held: counts[.held] ?? 0,
      queued: counts[.queued] ?? 0, running: counts[.running] ?? 0, plans: 0)
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

extension LedgerClock {
  /// The same filter, with moments of the ledger's time.
  func inLedgerTime(_ narrowing: JobNarrowing) -> JobNarrowing {
    var narrowing = narrowing
    narrowing.acceptedSince = narrowing.acceptedSince.map(ledgerTime)
    narrowing.acceptedUntil = narrowing.acceptedUntil.map(ledgerTime)
    return narrowing
  }
}
