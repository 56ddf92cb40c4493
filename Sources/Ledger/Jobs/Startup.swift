package import JobModel

extension LedgerTransaction {
  /// A number that no earlier start of a coordinator had, from 1.
  package func nextIncarnation() throws -> Int {
    let number: Int? = try statements.first(
      "UPDATE ledger SET incarnation = incarnation + 1 RETURNING incarnation")
    guard let number else { throw Damage(what: "it does not say which ledger it is") }
    return number
  }

  /// Begins a new epoch: the stream has notifications that this ledger does not know, because its file was replaced by an
  /// older one. `lowest` is the lowest number that the epoch may have; it is higher than the present one in any case.
  ///
  /// - Throws: When that would be behind the last that there can be.
  package func beginEpoch(atLeast lowest: Int, at time: Timestamp) throws -> Int {
    let epoch: Int? = try statements.first(
      """
      UPDATE ledger SET epoch = max(epoch + 1, ?), epoch_at = ? WHERE max(epoch + 1, ?) <= ? RETURNING epoch
      """, lowest, time, lowest, JobProgress.lastEpoch)
    guard let epoch else { throw LedgerError.failed("no epoch is left: \(JobProgress.lastEpoch) is the last") }
    forgetEpoch()
    try forgetWelcomes()
    return epoch
  }

  /// When the present epoch began; nil in the first one.
  package func epochBegan() throws -> Timestamp? {
    try statements.first("SELECT epoch_at FROM ledger") { try $0[0] as Timestamp? } ?? nil
  }

  /// Writes what is there already: it succeeds where anything else could be written.
  package func touch() throws {
    try statements.run("UPDATE ledger SET incarnation = incarnation")
  }

  /// Every queued job, in the order of their releases. As many as the windows of all departments at most.
  package func released() throws -> [ReleasedJob] {
    try statements.all(
      """
      SELECT \(JobRow.columnsWithRelease) FROM job WHERE state = 1 ORDER BY released_at, number
      """, decode: JobRow.released)
  }

  /// How many jobs each department has that nothing but its window holds, per level of priority from 0.
  package func heldCounts() throws -> [Department: [Int]] {
    let rows: [(department: Department, priority: Priority, count: Int)] = try statements.all(Self.readyCounts) {
      (try $0[0], try $0[1], try $0[2])
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
    let rows: [(department: Department, delayed: Int, dependent: Int)] = try statements.all(
      """
      SELECT department, count(*), 0 FROM job INDEXED BY job_due
      WHERE state = 0 AND not_before IS NOT NULL GROUP BY department
      UNION ALL
      SELECT department, 0, count(*) FROM job INDEXED BY job_dependent
      WHERE state = 0 AND open_dependencies > 0 AND not_before IS NULL GROUP BY department
      """
    ) { (try $0[0], try $0[1], try $0[2]) }
    return rows.reduce(into: [:]) { counts, row in
      counts[row.department, default: WaitingCounts()].delayed += row.delayed
      counts[row.department, default: WaitingCounts()].dependent += row.dependent
    }
  }

  /// How many jobs of each department are held and queued, and how many have ended since the ledger was made.
  package func counts() throws -> [Department: [JobState: Int]] {
    try recordEnded()
    let rows: [(department: Department, state: JobState, count: Int)] = try statements.all(
      """
      SELECT department, 0, count(*) FROM \(Shelf.held.source) WHERE state = 0 GROUP BY department
      UNION ALL SELECT department, 1, count(*) FROM \(Shelf.queued.source) WHERE state = 1 GROUP BY department
      UNION ALL SELECT department, state, jobs FROM ended
      """
    ) { (try $0[0], try $0[1], try $0[2]) }
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
