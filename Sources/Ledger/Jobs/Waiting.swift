package import JobModel

/// A held job whose time has come.
package struct DueJob: Hashable, Sendable {
  package var number: Int64
  package var id: JobID
  package var department: Department
  package var priority: Priority
  /// The time that it waited for.
  package var notBefore: Timestamp
  /// Whether that, and ``startBy``, are moments of the wall clock.
  package var isByClock: Bool
  package var startBy: Timestamp?
  package var openDependencies: Int
  /// Whether it may have ended workers, and has to wait for its turn.
  package var isSuspect: Bool

  package init(
    number: Int64, id: JobID, department: Department, priority: Priority, notBefore: Timestamp, isByClock: Bool = false,
    startBy: Timestamp? = nil, openDependencies: Int, isSuspect: Bool = false
  ) {
    self.number = number
    self.id = id
    self.department = department
    self.priority = priority
    self.notBefore = notBefore
    self.isByClock = isByClock
    self.startBy = startBy
    self.openDependencies = openDependencies
    self.isSuspect = isSuspect
  }
}

extension LedgerTransaction {
  /// The held jobs that need not wait for a time any more, by that time: `now` is the ledger's, and `wall` what the wall
  /// clock says then. Each is given again until it is lifted.
  package func due(at now: Timestamp, wall: Timestamp? = nil, limit: Int) throws -> [DueJob] {
    let jobs = try due(at: now, byClock: false, limit)
    return try jobs + due(at: wall ?? now, byClock: true, limit - jobs.count)
  }

  static let dueJobs = """
    SELECT number, id, department, priority, not_before, start_by, open_dependencies, deaths FROM job INDEXED BY job_due
    WHERE state = 0 AND by_clock = ? AND not_before IS NOT NULL AND not_before <= ? ORDER BY not_before LIMIT ?
    """

  private func due(at now: Timestamp, byClock: Bool, _ limit: Int) throws -> [DueJob] {
    guard limit > 0 else { return [] }
    return try statements.all(Self.dueJobs, byClock, now, limit) { cells in
      DueJob(
        number: try cells[0], id: try cells[1], department: try cells[2],
        priority: try cells[3], notBefore: try cells[4], isByClock: byClock,
        startBy: try cells[5], openDependencies: try cells[6],
        isSuspect: try cells[7] as Int >= Death.suspectDeaths)
    }
  }

  /// When the next held job is due, by the ledger's time, which is later than the wall clock by `lead`; nil when none
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

  /// The job waits for no time any more. `startBy`: when it comes too late from now on, by the ledger's time.
  package func lift(_ number: Int64, startBy: Timestamp?) throws {
    try statements.run(
      "UPDATE job SET not_before = NULL, by_clock = 0, start_by = ? WHERE number = ? AND state < 2",
      startBy, number)
  }

  /// The jobs without an outcome that should have been started by now, by that time; from after a position. Each is
  /// given again until it has its outcome, or its time is cleared. Not those that wait for a moment of the wall clock.
  package func tooLate(at now: Timestamp, after position: StartByPosition? = nil, limit: Int) throws -> [Job] {
    try statements.all(
      """
      SELECT \(JobRow.columns) FROM job INDEXED BY job_start_by
      WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0 AND start_by <= ? AND (start_by, number) > (?, ?)
      ORDER BY start_by, number LIMIT ?
      """,
      now, position?.startBy.milliseconds ?? .min, position?.number ?? 0, limit, decode: JobRow.job)
  }

  /// When the next job has to be started; nil when none has to. Not of those that wait for a moment of the wall clock.
  package func nextStartBy() throws -> Timestamp? {
    try statements.first(
      """
      SELECT start_by FROM job INDEXED BY job_start_by WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0
      ORDER BY start_by LIMIT 1
      """)
  }

  /// The job was started: it cannot come too late any more.
  package func clearStartBy(_ number: Int64) throws {
    try statements.run("UPDATE job SET start_by = NULL WHERE number = ? AND state < 2", number)
  }
}
