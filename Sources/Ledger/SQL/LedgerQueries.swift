import GRDB
package import JobModel

/// Who can ask the ledger something: a transaction, which sees what it has written itself, and who reads beside it.
package protocol LedgerReading {
  var statements: Statements { get }
}

/// What can be asked of the ledger on a connection that cannot write. It is valid only within the closure that it is
/// handed to.
package struct LedgerQueries: LedgerReading {
  package let statements: Statements

  init(_ database: Database) { statements = Statements(database, isCancellable: true) }
}

extension LedgerReading {
  /// The job of that id, with its outcome; nil when there is none.
  package func job(_ id: JobID) throws -> Job? {
    try statements.first("SELECT \(JobRow.columns) FROM job WHERE id = ?", id, decode: JobRow.job)
  }

  /// What a job carries; nil: there is no such job.
  package func content(of number: Int64) throws -> JobContent? {
    try statements.first("SELECT \(JobRow.contentColumns) FROM job WHERE number = ?", number) {
      try JobRow.content($0.from(.contentType))
    }
  }

  /// Whether the job, the plan, or the event of that id has its outcome; nil when there is none of that id.
  package func hasOutcome(_ id: JobID) throws -> Bool? {
    try statements.first("SELECT state >= 2 FROM job WHERE id = ?", id)
      ?? statements.first("SELECT state IS NOT NULL FROM plan WHERE id = ?", id)
      ?? statements.first("SELECT state = 'dismissed' FROM event WHERE id = ?", id)
  }
}

extension LedgerReading {
  /// The number of the last notification, and the present epoch. Every notification that was removed has been read, so the
  /// number of a reader is not below its number.
  package func lastNotification() throws -> NotificationPosition {
    let last = try statements.first(
      """
      SELECT max(
        (SELECT ifnull(max(number), 0) FROM notification), (SELECT ifnull(max(number), 0) FROM reader)), epoch
      FROM ledger
      """
    ) { NotificationPosition(epoch: try $0[1], seq: try $0[0]) }
    guard let last else { throw LedgerError.failed("it does not say which ledger it is") }
    return last
  }
}
