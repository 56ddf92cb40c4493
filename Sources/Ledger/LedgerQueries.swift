import GRDB
package import JobModel

/// What can be asked of the ledger, on a connection that cannot write. It is valid only within the closure it is handed
/// to.
package struct LedgerQueries {
  let statements: Statements

  init(_ database: Database) {
    statements = Statements(database: database)
  }

  /// The job of that id, with its outcome.
  package func job(_ id: JobID) throws -> Job? {
    try statements.job(id)
  }

  /// What a job carries; nil when there is no such job.
  package func content(of id: JobID) throws -> JobContent? {
    try statements.first("SELECT \(JobRow.contentColumns) FROM job WHERE id = ?", [id.cell]) {
      try JobRow.content($0, first: 0)
    }
  }

  /// The jobs of these ids that are there, with their outcomes.
  package func outcomes(of ids: [JobID]) throws -> [JobID: Job] {
    try ids.reduce(into: [:]) { $0[$1] = try statements.job($1) }
  }

  /// The plan of that id.
  package func plan(_ id: JobID) throws -> PlanRecord? {
    try statements.plan(id)
  }

  /// The steps of a plan in their order, with their outcomes; empty when there is no such plan.
  package func steps(of plan: JobID) throws -> [Job] {
    try statements.steps(of: plan, "")
  }

  /// Notifications from a number on, in sequence, sent or not. Those whose jobs were removed are missing.
  package func notifications(from seq: Int64, limit: Int) throws -> [Notification] {
    try statements.notifications(from: seq, limit: limit)
  }
}
