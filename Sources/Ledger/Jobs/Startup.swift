package import JobModel

extension LedgerTransaction {
  /// A number that no earlier start of a coordinator had, from 1.
  package func nextIncarnation() throws -> Int {
    let number = try statements.first(
      "UPDATE ledger SET incarnation = incarnation + 1 RETURNING incarnation"
    ) { try $0.int(0) }
    guard let number else { throw Damage(what: "it does not say which ledger it is") }
    return number
  }

  /// Begins a new epoch: the stream has notifications that this ledger does not know, because its file was replaced by an
  /// older one. `lowest` is the lowest number that the epoch may have; it is higher than the present one in any case.
  ///
  /// - Throws: When that would be behind the last that there can be.
  package func beginEpoch(atLeast lowest: Int, at time: Timestamp) throws -> Int {
    let epoch = try statements.first(
      """
      UPDATE ledger SET epoch = max(epoch + 1, ?), epoch_at = ? WHERE max(epoch + 1, ?) <= ? RETURNING epoch
      """, lowest, time, lowest, JobProgress.lastEpoch
    ) { try $0.int(0) }
    guard let epoch else { throw LedgerError.failed("no epoch is left: \(JobProgress.lastEpoch) is the last") }
    try forgetWelcomes()
    return epoch
  }

  /// When the present epoch began; nil in the first one.
  package func epochBegan() throws -> Timestamp? {
    try statements.first("SELECT epoch_at FROM ledger") { try $0.optionalTime(0) } ?? nil
  }

  /// Writes what is there already: it succeeds where anything else could be written.
  package func touch() throws {
    try statements.run("UPDATE ledger SET incarnation = incarnation")
  }

  /// Every queued job, in the order of their releases. As many as the windows of all departments at most.
  package func released() throws -> [ReleasedJob] {
    try statements.all(
      """
      SELECT \(JobRow.columns), confirmed, adopted_by, beside, granted_to, granted_at, granted_number FROM job
      WHERE state = 1 ORDER BY released_at, number
      """
    ) { cells in
      ReleasedJob(
        job: try JobRow.job(cells), isConfirmed: try cells.int(JobRow.width) == 1,
        adoptedBy: try cells.optionalWorker(JobRow.width + 1), standing: try JobRow.standing(cells),
        isBeside: try cells.int(JobRow.width + 2) == 1, grant: try grant(cells, at: JobRow.width + 3))
    }
  }

  private func grant(_ cells: Cells, at column: Int) throws -> GrantRecord? {
    guard let worker = try cells.optionalWorker(column) else { return nil }
    return GrantRecord(worker: worker, at: try cells.time(column + 1), number: try cells.int(column + 2))
  }

  /// How many jobs each department has that nothing but its window holds, per level of priority from 0.
  package func heldCounts() throws -> [Department: [Int]] {
    let rows = try statements.all(Self.readyCounts) {
      (department: try $0.department(0), priority: try $0.priority(1), count: try $0.int(2))
    }
    let none = [Int](repeating: 0, count: Priority.levels.count)
    return rows.reduce(into: [:]) { $0[$1.department, default: none][$1.priority.level] = $1.count }
  }

  static let readyCounts = """
    SELECT department, priority, count(*) FROM job INDEXED BY job_ready WHERE \(Shelf.readyCondition)
    GROUP BY department, priority
    """

  /// How many held jobs of each department wait for a time, and how many only for other jobs.
  package func dueCounts() throws -> [Department: WaitingCounts] {
    let rows = try statements.all(
      """
      SELECT department, count(*), 0 FROM job INDEXED BY job_due
      WHERE state = 0 AND not_before IS NOT NULL GROUP BY department
      UNION ALL
      SELECT department, 0, count(*) FROM job INDEXED BY job_dependent
      WHERE state = 0 AND open_dependencies > 0 AND not_before IS NULL GROUP BY department
      """
    ) { (department: try $0.department(0), delayed: try $0.int(1), dependent: try $0.int(2)) }
    return rows.reduce(into: [:]) { counts, row in
      counts[row.department, default: WaitingCounts()].delayed += row.delayed
      counts[row.department, default: WaitingCounts()].dependent += row.dependent
    }
  }

  /// How many jobs of each department are held and queued, and how many have ended since the ledger was made.
  package func counts() throws -> [Department: [JobState: Int]] {
    try recordEnded()
    let rows = try statements.all(
      """
      SELECT department, 0, count(*) FROM \(Shelf.held.source) WHERE state = 0 GROUP BY department
      UNION ALL SELECT department, 1, count(*) FROM \(Shelf.queued.source) WHERE state = 1 GROUP BY department
      UNION ALL SELECT department, state, jobs FROM ended
      """
    ) { (department: try $0.department(0), state: try $0.state(1), count: try $0.int(2)) }
    return rows.reduce(into: [:]) { $0[$1.department, default: [:]][$1.state] = $1.count }
  }
}

/// How many held jobs wait for something else than room; one that waits for both counts twice.
package struct WaitingCounts: Hashable, Sendable {
  /// Until a time: scheduled, or to be tried again.
  package var delayed: Int
  /// Until other jobs have ended.
  package var dependent: Int

  package init(delayed: Int = 0, dependent: Int = 0) {
    self.delayed = delayed
    self.dependent = dependent
  }
}
