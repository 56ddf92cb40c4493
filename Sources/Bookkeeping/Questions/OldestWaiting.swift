import Decisions
import JobModel
import Ledger

extension Bookkeeper {
  /// How long the oldest waiting job of each department has waited. Jobs that are held until a time, or until other jobs
  /// have ended, do not count. The ledger is asked beside the flow, and looks at a few jobs of each department.
  func oldestWaiting() async throws(LedgerError) -> [Department: Duration] {
    let worth = configuration.priorityWorth
    var first = queuedFirst(worth: worth)
    let scopes = parts.departments.books.compactMap(WaitingScope.init)
    if !scopes.isEmpty {
      let held = try await ledger.read { queries in
        try scopes.map { ($0.department, try queries.longestWaiting($0).map { $0.waitsSince(worth: worth) }.min()) }
      }
      for (department, since) in held { first[department] = [first[department], since].compactMap(\.self).min() }
    }
    let now = parts.time.now
    return first.mapValues { .milliseconds(max(0, now.milliseconds(since: $0))) }
  }

  /// Of each department the job that waits in its queue for longest. This looks at every released job.
  private func queuedFirst(worth: Duration) -> [Department: Timestamp] {
    parts.releases.live.values.reduce(into: [:]) { first, job in
      guard job.progress.visibleState == .queued else { return }
      let since = WaitingJob(acceptedAt: job.acceptedAt, standing: job.standing, priority: job.priority)
        .waitsSince(worth: worth)
      first[job.department] = min(first[job.department] ?? since, since)
    }
  }
}

extension WaitingScope {
  /// Nil: the department holds no such job.
  fileprivate init?(_ department: Department, _ books: DepartmentBooks) {
    let withheld = [(Withheld.handler, books.unserved), (.suspect, books.suspects)].filter { $0.1 > 0 }.map(\.0)
    guard books.readyCount > 0 || !withheld.isEmpty else { return nil }
    self.init(department, includesReady: books.readyCount > 0, withheld: withheld)
  }
}

extension WaitingJob {
  /// Since when the job waits: since its acceptance, or since the time that it was scheduled for.
  func waitsSince(worth: Duration) -> Timestamp {
    max(acceptedAt, standing.readyAt(priority, worth: worth))
  }
}
