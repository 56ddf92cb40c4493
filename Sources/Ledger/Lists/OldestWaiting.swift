package import JobModel

/// Since when a held job could have been released, as far as the ledger says it.
package struct WaitingJob: Hashable, Sendable {
  package var acceptedAt: Timestamp
  package var standing: Standing
  package var priority: Priority

  package init(acceptedAt: Timestamp, standing: Standing, priority: Priority) {
    (self.acceptedAt, self.standing, self.priority) = (acceptedAt, standing, priority)
  }
}

/// Which held jobs of a department are looked at.
package struct WaitingScope: Hashable, Sendable {
  package var department: Department
  /// The jobs that nothing but the window of the department holds.
  package var includesReady: Bool
  /// The jobs that are withheld for these reasons.
  package var withheld: [Withheld]

  package init(_ department: Department, includesReady: Bool, withheld: [Withheld]) {
    (self.department, self.includesReady, self.withheld) = (department, includesReady, withheld)
  }
}

extension LedgerQueries {
  /// How many kinds of withheld jobs are looked at, for each reason: the first by name.
  package static let waitingKindLimit = 20

  /// The job of each priority, and of withheld jobs of each kind and priority, that stands first in its index: one of these
  /// has waited longest. Only these jobs are looked at.
  package func longestWaiting(_ scope: WaitingScope) throws -> [WaitingJob] {
    let ready = try scope.includesReady ? Priority.all.compactMap { try firstReady($0, in: scope.department) } : []
    let withheld = try scope.withheld.flatMap { reason in
      try withheldKinds(reason, in: scope.department, limit: Self.waitingKindLimit).flatMap { kind in
        try Priority.all.compactMap { try firstWithheld(reason, $0, kind, in: scope.department) }
      }
    }
    return ready + withheld
  }

  private func firstReady(_ priority: Priority, in department: Department) throws -> WaitingJob? {
    try statements.first(WaitingJobs.firstReady, department, priority) {
      WaitingJob(acceptedAt: try $0[0], standing: try $0[1], priority: priority)
    }
  }

  private func firstWithheld(
    _ reason: Withheld, _ priority: Priority, _ kind: JobKind, in department: Department
  ) throws -> WaitingJob? {
    try statements.first(WaitingJobs.firstWithheld, reason.rawValue, department, kind, priority) {
      WaitingJob(acceptedAt: try $0[0], standing: try $0[1], priority: priority)
    }
  }

}

extension LedgerReading {
  /// The kinds of the jobs of a department that are withheld for that reason, by name; found by leaping from one to the
  /// next, however many jobs there are of each.
  package func withheldKinds(_ reason: Withheld, in department: Department, limit: Int) throws -> [JobKind] {
    var kinds: [JobKind] = []
    while kinds.count < limit,
      let next: JobKind = try statements.first(
        WaitingJobs.nextKind, reason.rawValue, department, kinds.last?.name ?? "")
    { kinds.append(next) }
    return kinds
  }
}

/// The statements that find them, each in one step through its index.
enum WaitingJobs {
  static let firstReady = """
    SELECT accepted_at, standing FROM job INDEXED BY job_ready
    WHERE \(Shelf.readyCondition) AND department = ? AND priority = ? ORDER BY standing, number LIMIT 1
    """
  static let firstWithheld = """
    SELECT accepted_at, standing FROM job INDEXED BY job_withheld
    WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? AND kind = ? AND priority = ?
    ORDER BY standing, number LIMIT 1
    """
  static let nextKind = """
    SELECT kind FROM job INDEXED BY job_withheld
    WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? AND kind > ? ORDER BY kind LIMIT 1
    """
}
