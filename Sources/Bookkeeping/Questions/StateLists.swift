import Decisions
package import JobModel
package import Ledger

/// Lists of what there is beside jobs: workers from the memory, keys from the ledger, a page at a time.
extension Bookkeeper {
  /// The next workers by id. `now` is on the session's clock. Their kinds, which may be many, are put in order beside the
  /// flow.
  package nonisolated func listWorkers(_ query: WorkerQuery, at now: Duration) async -> WorkerPage {
    let (rows, goesOn) = await rows(query, at: now)
    let workers = rows.map { WorkerPage.Worker($0.status, kinds: $0.kinds) }
    return WorkerPage(workers: workers, next: goesOn ? workers.last?.id : nil)
  }

  private func rows(
    _ query: WorkerQuery, at now: Duration
  ) -> (rows: [(status: WorkerStatus, kinds: Set<JobKind>?)], goesOn: Bool) {
    let meant = parts.roster.workers.filter { id, entry in
      id.text > query.after?.text ?? "" && query.department.map { entry.tellers[$0.name] != nil } ?? true
    }
    let sorted = meant.sorted { $0.key.text < $1.key.text }
    let rows = sorted.prefix(query.limit).map { id, entry in
      (status: workerStatus(id, entry, at: now), kinds: parts.roster.handlers.kinds(of: id))
    }
    return (rows, sorted.count > rows.count)
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
        until: key.record.isWhileLive ? nil : clock.wallTime(of: key.record.until))
    }
    return KeyPage(keys: taken, next: listed.count == query.limit ? listed.last?.position : nil)
  }
}
