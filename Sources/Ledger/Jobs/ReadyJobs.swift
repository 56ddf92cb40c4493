package import JobModel

extension LedgerTransaction {
  /// The jobs of a department and a priority that nothing but its window holds, by their standing, the first of them.
  /// Only their places: perhaps most of them are not released now.
  package func ready(in department: Department, priority: Priority, limit: Int) throws -> [Candidate] {
    try statements[.readyJobs].all(
      { values in
        values.add(department)
        values.add(priority)
        values.add(limit)
      }
    ) { Candidate(number: try $0[0], priority: priority, standing: try $0[1]) }
  }

  /// A held job with all that it carries; nil when no job of that number is held.
  package func held(_ number: Int64) throws -> HeldJob? {
    try statements[.heldJob].first({ $0.add(number) }, JobRow.held)
  }

  /// Gives every held job of a department that has no place in its order a place, in the order of acceptance. This is
  /// for a department that has just become an ordered one. In every other department all jobs have a place, and two
  /// counts in indexes show that.
  package func giveOrder(in department: Department) throws {
    if try heldWithoutOrder(in: department) == 0 { return }
    try statements.run(
      """
      UPDATE job SET order_plan = number, order_rank = 0, order_position = 0
      WHERE state = 0 AND order_plan IS NULL AND department = ?
      """, department)
  }

  /// The place of a job among the held jobs; nil: there is no such job.
  package func standing(of number: Int64) throws -> Standing? {
    try statements.first("SELECT standing FROM job WHERE number = ?", number)
  }

  /// The states of the jobs, plans and events of these ids. An id that the ledger does not have is left out. A plan that
  /// has not ended counts as held, and so does an event without a job.
  package func states(of ids: [JobID]) throws -> [JobID: JobState] {
    try ids.reduce(into: [:]) { states, id in
      states[id] =
        try statements.first("SELECT state FROM job WHERE id = ?", id)
        ?? statements.first("SELECT ifnull(state, 0) FROM plan WHERE id = ?", id)
        ?? statements.first("SELECT iif(state = 'dismissed', 4, 0) FROM event WHERE id = ?", id)
    }
  }

  /// The job of that acceptance number, with its outcome.
  package func job(number: Int64) throws -> Job? {
    try statements.first("SELECT \(JobRow.columns) FROM job WHERE number = ?", number, decode: JobRow.job)
  }
}

extension LedgerReading {
  /// How many held jobs of a department have no place in an order.
  package func heldWithoutOrder(in department: Department) throws -> Int {
    try statements.first(
      """
      SELECT (SELECT count(*) FROM \(Shelf.held.source) WHERE \(Shelf.held.condition) AND department = ?)
        - (SELECT count(*) FROM job INDEXED BY job_order
          WHERE state = 0 AND order_plan IS NOT NULL AND department = ?)
      """, department, department) ?? 0
  }
}

extension LedgerQueries {
  /// The held job of an ordered department that comes next, also if it has to wait; nil: that one is of the group, or the
  /// department has no held job.
  package func firstInOrder(of department: Department, outside group: OrderGroup?) throws -> JobID? {
    let first: (id: JobID, group: OrderGroup)? = try statements.first(
      """
      SELECT id, order_plan, order_rank FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ?
      ORDER BY order_plan, order_rank, order_position, number LIMIT 1
      """, department
    ) { (id: try $0[0], group: OrderGroup(plan: try $0[1], rank: try $0[2])) }
    return first.flatMap { $0.group == group ? nil : $0.id }
  }
}

extension HotStatement {
  static let readyJobs = HotStatement(
    """
    SELECT number, standing FROM job INDEXED BY job_ready
    WHERE \(Shelf.readyCondition) AND department = ? AND priority = ? ORDER BY standing, number LIMIT ?
    """)

  static let heldJob = HotStatement(
    "SELECT \(JobRow.columnsWithContent) FROM job WHERE number = ? AND state = 0")
}
