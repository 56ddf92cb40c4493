import GRDB

extension Migrations {
  /// A notification has a row of its own, so that a job can have more than one, and other things than jobs can have some.
  /// The turns that have changed the ledger are counted, too.
  static func recordNotifications(in database: Database) throws {
    try database.execute(sql: notifications)
    try database.execute(sql: readers)
    try database.execute(sql: "ALTER TABLE ledger ADD COLUMN turn INTEGER NOT NULL DEFAULT 0")
  }

  private static let notifications = """
    DROP VIEW notification;
    CREATE TABLE notification (
      number INTEGER PRIMARY KEY,
      epoch INTEGER NOT NULL,
      moment INTEGER NOT NULL,
      event TEXT NOT NULL,
      -- See `NotificationSubject`.
      subject BLOB NOT NULL,
      body TEXT
    ) STRICT;
    INSERT INTO notification (number, epoch, moment, event, subject) \(toldOutcomes);
    -- The column stays: it is the number of the notification of the job's outcome, and costs next to nothing.
    DROP INDEX job_seq;
    """

  /// The jobs that have ended, in the order in which that was told: nothing is sorted, so the memory that it takes does
  /// not grow with their number. Of an earlier epoch than the present one nobody knows which it was: it counts as the one
  /// before.
  static let toldOutcomes = """
    SELECT seq, iif(finished_at < epoch_at, epoch - 1, epoch), finished_at,
      CASE state WHEN 2 THEN 'succeeded' WHEN 3 THEN 'failed' ELSE 'cancelled' END, CAST(x'6A' || job.id AS BLOB)
    FROM job INDEXED BY job_seq CROSS JOIN ledger WHERE seq IS NOT NULL ORDER BY seq
    """

  private static let readers = """
    -- Up to where somebody has read the notifications: what all have read may be removed.
    CREATE TABLE reader (
      name TEXT PRIMARY KEY,
      number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO reader (name, number) SELECT 'stream', sent_seq FROM ledger;
    ALTER TABLE ledger DROP COLUMN sent_seq;
    """
}
