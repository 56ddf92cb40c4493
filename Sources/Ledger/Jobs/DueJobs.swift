package import JobModel

/// A held job whose time to wait is over.
package struct DueJob: Hashable, Sendable {
  package var number: Int64
  package var id: JobID
  package var department: Department
  package var priority: Priority
  /// The attempt that comes next.
  package var attempt = 1
  /// The time that it waited for.
  package var notBefore: Timestamp
  /// Whether ``notBefore`` and ``startBy`` are moments of the wall clock.
  package var isByClock = false
  package var startBy: Timestamp?
  package var openDependencies: Int
  /// Whether it may have killed workers, and has to wait for its turn.
  package var isSuspect = false
}

extension LedgerTransaction {
  /// The held jobs whose time has come, those with the earliest time first. `now` is the ledger's time, and `wall` is
  /// what the wall clock says then. A job is returned again until it is lifted.
  package func due(at now: Timestamp, wall: Timestamp? = nil, limit: Int) throws -> [DueJob] {
    let jobs = try due(at: now, byClock: false, limit)
    return try jobs + due(at: wall ?? now, byClock: true, limit - jobs.count)
  }

  static let dueJobs = """
    SELECT number, id, department, priority, not_before, start_by, open_dependencies, deaths, attempt
    FROM job INDEXED BY job_due
    WHERE state = 0 AND by_clock = ? AND not_before IS NOT NULL AND not_before <= ? ORDER BY not_before LIMIT ?
    """

  private func due(at now: Timestamp, byClock: Bool, _ limit: Int) throws -> [DueJob] {
    guard limit > 0 else { return [] }
    return try statements.all(Self.dueJobs, byClock, now, limit) { row in
      DueJob(
        number: try row[0], id: try row[1], department: try row[2], priority: try row[3], attempt: try row[8],
        notBefore: try row[4], isByClock: byClock, startBy: try row[5], openDependencies: try row[6],
        isSuspect: try row[7] as Int >= Death.suspectDeaths)
    }
  }

  /// When the next held job is due, in the ledger's time, which is later than the wall clock by `lead`. Nil: no job
  /// waits for a time.
  package func nextDue(lead: Duration = .zero) throws -> Timestamp? {
    let moment = try nextDue(byClock: true).map { $0 + lead }
    return try [nextDue(byClock: false), moment].compactMap(\.self).min()
  }

  static let nextDueTime = """
    SELECT not_before FROM job INDEXED BY job_due WHERE state = 0 AND by_clock = ? AND not_before IS NOT NULL
    ORDER BY not_before LIMIT 1
    """

  private func nextDue(byClock: Bool) throws -> Timestamp? {
    try statements.first(Self.nextDueTime, byClock)
  }

  /// Records that a job waits for no time any more. `startBy` is when it is too late to start it, in the ledger's time.
  package func lift(_ number: Int64, startBy: Timestamp?) throws {
    try statements.run(
      "UPDATE job SET not_before = NULL, by_clock = 0, start_by = ? WHERE number = ? AND state < 2", startBy, number)
  }

  /// The jobs without an outcome that should have been started by now, in the order of that time, behind a position. A
  /// job is returned again until it has its outcome or its time is cleared. Jobs that wait for a moment of the wall
  /// clock are left out.
  package func tooLate(at now: Timestamp, after position: StartByPosition? = nil, limit: Int) throws -> [Job] {
    try statements.all(
      """
      SELECT \(JobRow.columns) FROM job INDEXED BY job_start_by
      WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0 AND start_by <= ? AND (start_by, number) > (?, ?)
      ORDER BY start_by, number LIMIT ?
      """, now, position?.startBy.milliseconds ?? .min, position?.number ?? 0, limit, decode: JobRow.job)
  }

  /// By when the next job has to be started; nil: none has to. Jobs that wait for a moment of the wall clock are left
  /// out.
  package func nextStartBy() throws -> Timestamp? {
    try statements.first(
      """
      SELECT start_by FROM job INDEXED BY job_start_by WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0
      ORDER BY start_by LIMIT 1
      """)
  }

  /// Records that a job was started: it cannot be too late any more.
  package func clearStartBy(_ number: Int64) throws {
    try statements.run("UPDATE job SET start_by = NULL WHERE number = ? AND state < 2", number)
  }
}
