import GRDB
package import JobModel

/// Which worker was last told to run a job, as it is recorded before that worker is told.
package struct GrantRecord: Hashable, Sendable {
  package var worker: WorkerID
  package var at: Timestamp
  /// The last number that the claims had used by then.
  package var number: Int

  package init(worker: WorkerID, at time: Timestamp, number: Int) {
    (self.worker, at, self.number) = (worker, time, number)
  }
}

extension LedgerTransaction {
  /// Records whom the job was granted. It is about the present release as long as the job's token is above its number.
  package func record(_ grant: GrantRecord, of number: Int64) throws {
    try statements.run(
      "UPDATE job SET granted_to = ?, granted_at = ?, granted_number = ? WHERE number = ?",
      grant.worker, grant.at, grant.number, number)
  }

  /// Of no worker it is known any more since when it has been waited for: what was granted before is not known to have
  /// stayed without a start.
  func forgetWelcomes() throws {
    try statements.run("UPDATE worker SET welcomed_number = NULL")
  }
}

extension Migrations {
  static func recordGrants(in database: Database) throws {
    try database.execute(
      sql: """
        ALTER TABLE job ADD COLUMN granted_to TEXT;
        ALTER TABLE job ADD COLUMN granted_at INTEGER;
        ALTER TABLE job ADD COLUMN granted_number INTEGER;
        -- The last number that the claims had used when it was welcomed; null: not known.
        ALTER TABLE worker ADD COLUMN welcomed_number INTEGER;
        """)
  }
}
