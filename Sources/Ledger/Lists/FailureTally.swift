package import JobModel

/// Failed jobs of one department, one kind and one error code.
package struct FailureGroup: Hashable, Sendable {
  package struct ID: Hashable, Sendable {
    package var department: Department
    package var kind: JobKind
    @ExactText package var code: String
  }

  package var id: ID
  package var jobs: Int
  /// When the last one of them failed.
  package var newestAt: Timestamp
  /// That job.
  package var newest: JobID
}

/// Failed jobs, counted by group.
package struct FailureTally: Hashable, Sendable {
  package var groups: [FailureGroup]
  /// The ``JobFilter/before`` of the jobs that were not counted; nil: all are.
  package var next: Int64?

  /// The most groups of one tally.
  package static let groupLimit = 1_000
  /// The most jobs of one tally; a look more may be counted.
  package static let jobLimit = 20_000
}

extension LedgerQueries {
  /// Counts the failed jobs that nobody has looked after, by department, kind and error code, the newest first. The filter's
  /// `states`, `key`, `plan` and `limit` are not heeded.
  ///
  /// No index has the error codes, so each job is looked at: at most ``FailureTally/jobLimit`` jobs and those of one look.
  package func failures(_ filter: JobFilter) throws -> FailureTally {
    var counting = FailureCounting(filter)
    let stretch = try statements.stretch(of: filter)
    var next: Int64? = stretch.before
    while let before = next, counting.cost < FailureTally.jobLimit, stretch.after < before {
      var rest = stretch
      rest.before = before
      let look = try statements.look(on: [.unsettled], filter.group, rest)
      if let left = try counting.count(look, statements) { return counting.tally(next: left) }
      next = look.next
    }
    return counting.tally(next: next.flatMap { stretch.after < $0 ? $0 : nil })
  }
}

/// What is counted of a tally.
private struct FailureCounting {
  private let code: String?
  private var groups: [FailureGroup.ID: FailureGroup] = [:]
  private(set) var cost = 0

  init(_ filter: JobFilter) { code = filter.errorCode }

  /// - Returns: The number of the first job that is not counted, and one more, when the tally has too many groups.
  mutating func count(_ look: Look, _ statements: Statements) throws -> Int64? {
    cost += look.cost
    for number in look.numbers {
      guard let job = try Self.job(number, statements), isWanted(job.id.code) else { continue }
      guard groups[job.id] != nil || groups.count < FailureTally.groupLimit else { return number.clampedAdding(1) }
      groups[job.id, default: FailureGroup(id: job.id, jobs: 0, newestAt: job.newestAt, newest: job.newest)].add(job)
    }
    return nil
  }

  private func isWanted(_ found: String) -> Bool { code.map { $0.isExactly(found) } ?? true }

  func tally(next: Int64?) -> FailureTally { FailureTally(groups: Array(groups.values), next: next) }

  /// A job as a group of its own; nil: it has no outcome.
  private static func job(_ number: Int64, _ statements: Statements) throws -> FailureGroup? {
    try statements.first(
      "SELECT department, kind, error_code, finished_at, id FROM job WHERE number = ? AND error_code IS NOT NULL",
      number
    ) { row in
      FailureGroup(
        id: FailureGroup.ID(department: try row[0], kind: try row[1], code: try row[2]), jobs: 1, newestAt: try row[3],
        newest: try row[4])
    }
  }
}

extension FailureGroup {
  fileprivate mutating func add(_ job: FailureGroup) {
    jobs += job.jobs
    if job.newestAt > newestAt { (newestAt, newest) = (job.newestAt, job.newest) }
  }
}
