package import JobModel

extension LedgerTransaction {
  /// A number that no earlier start of a coordinator had, from 1.
  package func nextIncarnation() throws -> Int {
    let number: Int? = try statements.first("UPDATE ledger SET incarnation = incarnation + 1 RETURNING incarnation")
    return try known(number, "it does not say which ledger it is")
  }

  /// Begins a new epoch, because the stream has notifications that this ledger does not know: its file was replaced by
  /// an older one. The number of the new epoch is above the present one, and `lowest` or above. `isHolding`: what was due by
  /// then is to be held (``restoring()``).
  ///
  /// - Throws: When there can be no such epoch.
  package func beginEpoch(atLeast lowest: Int, at time: Timestamp, isHolding: Bool = false) throws -> Int {
    let epoch: Int? = try statements.first(
      """
      UPDATE ledger SET epoch = max(epoch + 1, ?), epoch_at = ?, restored_at = ?, unanswered_seq = NULL
      WHERE max(epoch + 1, ?) <= ? RETURNING epoch
      """, lowest, time, isHolding ? time : nil as Timestamp?, lowest, JobProgress.lastEpoch)
    guard let epoch else { throw LedgerError.failed("no epoch is left: \(JobProgress.lastEpoch) is the last") }
    forgetEpoch()
    try forgetWelcomes()
    return epoch
  }

  /// The stream does not answer this session, or has not answered those before it: from the first of them on nothing is
  /// known.
  package func streamIsUnknown(from seq: Int64) throws {
    try statements.run("UPDATE ledger SET unanswered_seq = ifnull(unanswered_seq, ?)", seq)
  }

  /// How far the ledger had come when the stream was not known any more; nil: it is known.
  package func streamUnknownSince() throws -> Int64? {
    try statements.first("SELECT unanswered_seq FROM ledger") { try $0[0] as Int64? } ?? nil
  }

  /// The stream has answered.
  package func streamIsKnown() throws {
    try statements.run("UPDATE ledger SET unanswered_seq = NULL WHERE unanswered_seq IS NOT NULL")
  }

  /// When the present epoch began; nil in the first one.
  package func epochBegan() throws -> Timestamp? {
    try statements.first("SELECT epoch_at FROM ledger") { try $0[0] as Timestamp? } ?? nil
  }

  /// Writes what is there already. It succeeds if anything else could be written, too.
  package func touch() throws {
    try statements.run("UPDATE ledger SET incarnation = incarnation")
  }

  /// Every queued job, in the order of their releases. There are not more than the windows of all departments allow.
  package func released() throws -> [ReleasedJob] {
    try statements.all(
      "SELECT \(JobRow.columnsWithRelease) FROM job WHERE state = 1 ORDER BY released_at, number",
      decode: JobRow.released)
  }

  /// How many jobs of each department nothing but its window holds, for each level of priority from 0.
  package func heldCounts() throws -> [Department: [Int]] {
    let none = [Int](repeating: 0, count: Priority.levels.count)
    var counts: [Department: [Int]] = [:]
    try statements.each(Self.readyCounts) { row in
      counts[try row[0], default: none][(try row[1] as Priority).level] = try row[2]
    }
    return counts
  }

  static let readyCounts = """
    SELECT department, priority, count(*) FROM job INDEXED BY job_ready WHERE \(Shelf.readyCondition)
    GROUP BY department, priority
    """

  /// How many held jobs of each department wait for a time, for the time of their next attempt, and only for other jobs.
  package func dueCounts() throws -> [Department: WaitingCounts] {
    var counts: [Department: WaitingCounts] = [:]
    try statements.each(
      """
      \(Self.dueJobCounts)
      UNION ALL
      SELECT department, 0, 0, count(*) FROM job INDEXED BY job_dependent
      WHERE state = 0 AND open_dependencies > 0 AND not_before IS NULL GROUP BY department
      """
    ) { row in
      counts[try row[0], default: WaitingCounts()].delayed += try row[1]
      counts[try row[0], default: WaitingCounts()].retrying += try row[2]
      counts[try row[0], default: WaitingCounts()].dependent += try row[3]
    }
    return counts
  }

  static let dueJobCounts = """
    SELECT department, sum(attempt = 1), sum(attempt > 1), 0 FROM job INDEXED BY job_due
    WHERE state = 0 AND not_before IS NOT NULL GROUP BY department
    """

  /// How many failed jobs of each department nobody has looked after.
  package func unsettledCounts() throws -> [Department: Int] {
    var counts: [Department: Int] = [:]
    try statements.each(Self.unsettledJobs) { row in counts[try row[0]] = try row[1] as Int }
    return counts
  }

  static let unsettledJobs = """
    SELECT department, count(*) FROM \(Shelf.unsettled.source) WHERE \(Shelf.unsettled.condition) GROUP BY department
    """

  /// How many jobs of each department are held and queued, and how many have ended since the ledger was made.
  package func counts() throws -> [Department: [JobState: Int]] {
    try recordEnded()
    var counts: [Department: [JobState: Int]] = [:]
    try statements.each(
      """
      SELECT department, 0, count(*) FROM \(Shelf.held.source) WHERE state = 0 GROUP BY department
      UNION ALL SELECT department, 1, count(*) FROM \(Shelf.queued.source) WHERE state = 1 GROUP BY department
      UNION ALL SELECT department, state, jobs FROM ended
      """
    ) { row in counts[try row[0], default: [:]][try row[1]] = try row[2] as Int }
    return counts
  }
}

/// How many held jobs wait for something else than room in their department's window.
package struct WaitingCounts: Hashable, Sendable {
  /// Until a time: scheduled, or put off.
  package var delayed = 0
  /// Until the time of the next attempt.
  package var retrying = 0
  /// Until other jobs have ended.
  package var dependent = 0
}
