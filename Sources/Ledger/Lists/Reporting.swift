package import JobModel

/// What a report has to know of a job that has ended.
package struct ReportRow: Hashable, Sendable {
  package var department: Department
  package var state: JobState
  /// The attempt that ended it.
  package var attempt: Int
  package var acceptedAt: Timestamp
  /// Of its last attempt; nil when it never ran.
  package var startedAt: Timestamp?
  package var finishedAt: Timestamp
  package var ran: Duration?
}

extension LedgerQueries {
  /// Hands over the jobs that ended at `time` or later, or the ended steps of a plan, or both; one by one, those that
  /// ended last first. Nil means any.
  ///
  /// Looking at a million jobs takes seconds, in which the ledger's log is not cut.
  ///
  /// - Returns: Whether that was all; false: there are more than `limit` jobs to look at.
  package func reportRows(
    since time: Timestamp?, plan: JobID? = nil, department: Department? = nil, limit: Int,
    _ body: (ReportRow) throws -> Void
  ) throws -> Bool {
    var looked = 0
    var isComplete = true
    let values = (plan.map { [$0.value] } ?? []) + [(limit + 1).value]
    try statements[plan == nil ? Self.endedJobs : Self.endedSteps].each({ $0.add(values) }) { cells in
      let row = try Self.reportRow(cells)
      if let time, row.finishedAt < time { return false }
      looked += 1
      isComplete = looked <= limit
      if isComplete, row.department == department ?? row.department { try body(row) }
      return isComplete
    }
    return isComplete
  }

  private static let reportColumns = "department, state, attempt, accepted_at, started_at, finished_at, ran_us"

  /// By their notifications, which were numbered in the order of the ends: that needs no index on the time.
  static let endedJobs = """
    SELECT \(reportColumns) FROM \(OutcomeRow.source)
    ORDER BY notification.number DESC LIMIT ?
    """

  private static let endedSteps =
    "SELECT \(reportColumns) FROM job WHERE plan = ? AND state >= 2 ORDER BY finished_at DESC LIMIT ?"

  private static func reportRow(_ cells: Cells) throws -> ReportRow {
    ReportRow(
      department: try cells[0], state: try cells[1], attempt: try cells[2],
      acceptedAt: try cells[3], startedAt: try cells[4], finishedAt: try cells[5],
      ran: (try cells[6] as Int64?).map { .microseconds($0) })
  }
}
