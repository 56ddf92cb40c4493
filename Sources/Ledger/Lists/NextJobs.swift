package import JobModel

/// The held jobs of a department that are looked for.
package struct NextScope: Hashable, Sendable {
  package var department: Department
  package var isOrdered: Bool
  /// The levels at which jobs wait for nothing but room.
  package var readyLevels: [Priority]
  /// The reasons for which jobs are withheld.
  package var withheld: [Withheld]

  package init(_ department: Department, isOrdered: Bool, readyLevels: [Priority], withheld: [Withheld]) {
    (self.department, self.isOrdered) = (department, isOrdered)
    (self.readyLevels, self.withheld) = (readyLevels, withheld)
  }
}

/// A held job that comes next, without its payload.
package struct NextJob: Hashable, Sendable {
  package var job: Job
  package var standing: Standing
}

extension LedgerQueries {
  /// The held jobs that are released next as things are now, in that order. Of an ordered department these are all held
  /// jobs by their place; of another one the jobs that could be released, and behind them those that are withheld.
  ///
  /// Only so many rows are looked at: for each level, and for each reason, at most `limit`.
  package func nextJobs(_ scope: NextScope, limit: Int) throws -> [NextJob] {
    let numbers =
      scope.isOrdered
      ? try inOrder(scope.department, limit: limit) : try byStanding(scope, limit: limit)
    return try numbers.map { NextJob(job: try statements.listedJob($0.number), standing: $0.standing) }
  }

  private typealias Place = (number: Int64, standing: Standing)

  private func byStanding(_ scope: NextScope, limit: Int) throws -> [Place] {
    let ready = try scope.readyLevels.flatMap { priority in
      try statements.all(NextJobs.ready, scope.department, priority, limit, decode: place)
    }
    let withheld = try scope.withheld.flatMap { reason in
      try statements.all(NextJobs.withheld, reason.rawValue, scope.department, limit, decode: place)
    }
    let first = ready.sorted { ($0.standing, $0.number) < ($1.standing, $1.number) } + withheld
    return Array(first.prefix(limit))
  }

  private func inOrder(_ department: Department, limit: Int) throws -> [Place] {
    try statements.all(NextJobs.inOrder, department, limit, decode: place)
  }

  private func place(_ row: Cells) throws -> Place { (try row[0], try row[1]) }
}

/// The statements that find them, each through its index.
enum NextJobs {
  static let ready = """
    SELECT number, standing FROM job INDEXED BY job_ready
    WHERE \(Shelf.readyCondition) AND department = ? AND priority = ? ORDER BY standing, number LIMIT ?
    """
  static let withheld = """
    SELECT number, standing FROM job INDEXED BY job_withheld
    WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? ORDER BY kind, priority, standing LIMIT ?
    """
  static let inOrder = """
    SELECT number, standing FROM job INDEXED BY job_order
    WHERE state = 0 AND order_plan IS NOT NULL AND department = ?
    ORDER BY order_plan, order_rank, order_position, number LIMIT ?
    """
}
