import GRDB

extension Migrations {
  /// A job ends once, so its notification needs no row of its own: its number stands in the job's row, written by the
  /// statement that writes the outcome. So it cannot be without its job, and no job can have two.
  ///
  /// The view is for who reads the file with a program of his own.
  static func numberEnds(in database: Database) throws {
    try database.execute(
      sql: """
        -- The number of the notification that tells of its end; null while it has not ended.
        ALTER TABLE job ADD COLUMN seq INTEGER;
        UPDATE job SET seq = notification.seq FROM notification WHERE notification.job = job.number;
        DROP TABLE notification;
        CREATE UNIQUE INDEX job_seq ON job (seq) WHERE seq IS NOT NULL;
        CREATE VIEW notification AS SELECT seq, number AS job, state AS event FROM job WHERE seq IS NOT NULL;
        """)
  }

  /// One index of all states in place of one for each: whatever changes a state opens every index with it, and of five
  /// it used two.
  static func indexStates(in database: Database) throws {
    try database.execute(
      sql: """
        DROP INDEX job_held;
        DROP INDEX job_queued;
        DROP INDEX job_succeeded;
        DROP INDEX job_failed;
        DROP INDEX job_cancelled;
        CREATE INDEX job_state ON job (state, department, kind);
        """)
  }
}
