import Decisions
package import JobModel
package import JobTransport
package import Ledger

/// Lists of what there is beside jobs: workers from the memory, keys and plans from the ledger, a page at a time.
extension Bookkeeper {
  /// The next workers by id. `now` is on the session's clock.
  package func listWorkers(_ query: WorkerQuery, at now: Duration) -> WorkerPage {
    let meant = parts.roster.workers.filter { id, entry in
      id.text > query.after?.text ?? "" && query.department.map { entry.tellers[$0.name] != nil } ?? true
    }
    let sorted = meant.sorted { $0.key.text < $1.key.text }
    let page = sorted.prefix(query.limit).map { id, entry in
      WorkerPage.Worker(workerStatus(id, entry, at: now), kinds: parts.roster.handlers.kinds(of: id))
    }
    return WorkerPage(workers: page, next: sorted.count > page.count ? page.last?.id : nil)
  }

  /// The next keys that are taken now.
  package func listKeys(_ query: KeyQuery) async throws(LedgerError) -> KeyPage {
    let (clock, now) = (parts.time.clock, parts.time.now)
    let running = Set(parts.releases.live.values.filter { $0.progress.visibleState == .running }.map(\.id))
    let listed = try await ledger.read { try $0.keys(of: query.kind, after: query.after, limit: query.limit) }
    let taken = listed.filter { $0.record.isTaken(at: now) }.map { key in
      TakenKey(
        kind: key.position.kind, key: key.position.key, job: key.record.job,
        state: key.record.state.map { $0 == .queued && running.contains(key.record.job) ? .running : $0 },
        until: clock.wallTime(of: key.record.until))
    }
    return KeyPage(keys: taken, next: listed.count == query.limit ? listed.last?.position : nil)
  }

  /// The next plans, the newest first.
  package func listPlans(_ query: PlanQuery) async throws(LedgerError) -> PlanPage {
    let clock = parts.time.clock
    let filter = PlanFilter(
      department: query.department, includesEnded: query.includesEnded, before: query.before, limit: query.limit)
    let listed = try await ledger.read { try $0.plans(filter) }
    return PlanPage(plans: listed.plans.map { PlanStatus($0, by: clock) }, next: listed.next)
  }
}

extension PlanStatus {
  fileprivate init(_ plan: ListedPlan, by clock: LedgerClock) {
    self.init(
      id: plan.id, number: plan.number, department: plan.department, state: plan.state ?? .held, steps: plan.steps,
      stepsDone: plan.stepsDone, acceptedAt: clock.wallTime(of: plan.acceptedAt),
      finishedAt: plan.finishedAt.map(clock.wallTime))
  }
}
