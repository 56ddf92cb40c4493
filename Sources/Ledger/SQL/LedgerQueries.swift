import GRDB
package import JobModel

/// What can be asked of the ledger, on a connection that cannot write. It is valid only within the closure it is handed
/// to.
package struct LedgerQueries {
  let statements: Statements

  init(_ database: Database) {
    statements = Statements(database, isCancellable: true)
  }

  /// The job of that id, with its outcome.
  package func job(_ id: JobID) throws -> Job? {
    try statements.job(id)
  }

  /// The jobs of these ids that are there, with their outcomes.
  package func outcomes(of ids: [JobID]) throws -> [JobID: Job] {
    try ids.reduce(into: [:]) { $0[$1] = try statements.job($1) }
  }

  /// Whether the job, or plan, of that id has its outcome; nil when there is none of that id.
  package func hasOutcome(_ id: JobID) throws -> Bool? {
    try statements.first("SELECT state >= 2 FROM job WHERE id = ?", id)
      ?? statements.first("SELECT state IS NOT NULL FROM plan WHERE id = ?", id)
  }

  /// The plan of that id.
  package func plan(_ id: JobID) throws -> PlanRecord? {
    try statements.plan(id)
  }

  /// The steps of a plan that have no outcome yet, in their order; empty when there is no such plan.
  package func unfinishedSteps(of plan: JobID) throws -> [Job] { try statements.unfinishedSteps(of: plan) }

  /// Notifications of outcomes from a number on, in sequence, sent or not. Those whose jobs were removed are missing.
  package func notifications(from seq: Int64, limit: Int) throws -> [Notification] {
    try statements.outcomes(from: seq, limit: limit)
  }

  /// The same of all events.
  package func allNotifications(from number: Int64, limit: Int) throws -> [NotificationRecord] {
    try statements.notifications(from: number, limit: limit)
  }
}
