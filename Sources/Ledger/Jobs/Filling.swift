package import JobModel

extension Statements {
  func job(_ id: JobID) throws -> Job? {
    try first("SELECT \(JobRow.columns) FROM job WHERE id = ?", id, decode: JobRow.job)
  }
}

extension LedgerTransaction {
  /// The jobs of a department and a priority that nothing but its window holds, and that go first, by their standing.
  /// Only their places: most of them may turn out to be too many.
  package func ready(in department: Department, priority: Priority, limit: Int) throws -> [ReadyJob] {
    try statements[.readyJobs].all(
      { values in
        values.add(department)
        values.add(priority)
        values.add(limit)
      }
    ) { cells in
      ReadyJob(number: try cells[0], priority: priority, standing: try cells[1])
    }
  }

  /// A held job with all that it carries; nil when no job of that number is held.
  package func held(_ number: Int64) throws -> HeldJob? {
    try statements[.heldJob].first({ $0.add(number) }, JobRow.held)
  }

  /// The held job of an ordered department that comes next, even if it has to wait: nothing overtakes it. Nil when it
  /// holds none.
  package func firstInOrder(of department: Department) throws -> HeldJob? {
    try statements.first(
      """
      SELECT \(JobRow.columnsWithContent) FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ?
      ORDER BY order_plan, order_rank, order_position, number LIMIT 1
      """, department, decode: JobRow.held)
  }

  /// Gives every held job of the department that has none a place in its order, by acceptance: for a department that has
  /// just become an ordered one. Of every other one all have theirs, which shows without a look at them.
  package func giveOrder(in department: Department) throws {
    let missing: Int? = try statements.first(Self.heldWithoutOrder, department, department)
    if missing == 0 { return }
    try statements.run(
      """
      UPDATE job SET order_plan = number, order_rank = 0, order_position = 0
      WHERE state = 0 AND order_plan IS NULL AND department = ?
      """, department)
  }

  /// Counted in two indexes.
  private static let heldWithoutOrder = """
    SELECT (SELECT count(*) FROM \(Shelf.held.source) WHERE \(Shelf.held.condition) AND department = ?)
      - (SELECT count(*) FROM job INDEXED BY job_order
        WHERE state = 0 AND order_plan IS NOT NULL AND department = ?)
    """

  /// Where the job stands among the held ones; nil when there is no such job.
  package func standing(of number: Int64) throws -> Standing? {
    try statements.first("SELECT standing FROM job WHERE number = ?", number)
  }

  /// Whether the job has its outcome; nil when there is no such job.
  package func hasOutcome(_ id: JobID) throws -> Bool? {
    try statements.first("SELECT state >= 2 FROM job WHERE id = ?", id)
  }

  /// What a job carries; nil when there is no such job.
  package func content(of number: Int64) throws -> JobContent? {
    try statements.first("SELECT \(JobRow.contentColumns) FROM job WHERE number = ?", number) {
      try JobRow.content($0.from(.contentType))
    }
  }

  /// How the jobs, or plans, of these ids stand; those that are not in the ledger are missing. A plan that has not
  /// ended counts as held.
  package func states(of ids: [JobID]) throws -> [JobID: JobState] {
    try ids.reduce(into: [:]) { states, id in
      states[id] =
        try statements.first("SELECT state FROM job WHERE id = ?", id)
        ?? statements.first("SELECT ifnull(state, 0) FROM plan WHERE id = ?", id)
    }
  }

  /// The job of that id, with its outcome.
  package func job(_ id: JobID) throws -> Job? {
    try statements.job(id)
  }

  /// The job of that acceptance number, with its outcome.
  package func job(number: Int64) throws -> Job? {
    try statements.first("SELECT \(JobRow.columns) FROM job WHERE number = ?", number, decode: JobRow.job)
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
