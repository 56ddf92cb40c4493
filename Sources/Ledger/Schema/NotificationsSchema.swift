/// Notifications, and how a ledger gets these tables that had its notifications in the rows of its jobs.
extension Migrations {
  static let notifications = """
    \(notificationTables)
    INSERT INTO reader (name, number) VALUES ('stream', 0);
    """

  /// Who keeps the place by a name.
  static let subscribers = """
    -- How far subscribers have come, by their own word. Nothing is kept for them: only the place.
    CREATE TABLE subscriber (
      name TEXT PRIMARY KEY,
      epoch INTEGER NOT NULL,
      -- The last notification that was handled.
      number INTEGER NOT NULL,
      -- Where the stream has it; null: not known.
      place INTEGER,
      -- When the subscriber last told its place.
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX subscriber_seen ON subscriber (seen_at);
    """

  /// What rules make.
  static let rules = """
    -- The jobs that rules have made, each of one notification, which may be gone.
    CREATE TABLE rule_job (
      job INTEGER PRIMARY KEY REFERENCES job (number) ON DELETE CASCADE,
      rule TEXT NOT NULL,
      epoch INTEGER NOT NULL,
      notification INTEGER NOT NULL,
      -- The job, the plan or the event that the notification was about; null: something else.
      cause BLOB,
      -- How many rules have led to the job.
      depth INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX rule_job_cause ON rule_job (cause) WHERE cause IS NOT NULL;
    """

  /// What the fourteenth schema has changed. Before, the number of a job's notification in its row was all, so a job
  /// could have one, and other things none; the ledger knew how many of them were in the stream; and nobody counted
  /// turns.
  static let notificationRows = """
    DROP VIEW notification;
    \(notificationTables)
    INSERT INTO notification (number, epoch, moment, event, subject) \(toldOutcomes);
    DROP INDEX job_seq;
    INSERT INTO reader (name, number) SELECT 'stream', sent_seq FROM ledger;
    ALTER TABLE ledger DROP COLUMN sent_seq;
    ALTER TABLE ledger ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
    """

  /// The jobs that have ended, in the order in which that was told: nothing is sorted, so the memory that it takes does
  /// not grow with their number. Of an earlier epoch than the present one nobody knows which it was: it counts as the
  /// one before.
  static let toldOutcomes = """
    SELECT seq, iif(finished_at < epoch_at, epoch - 1, epoch), finished_at,
      CASE state WHEN 2 THEN 'succeeded' WHEN 3 THEN 'failed' ELSE 'cancelled' END, CAST(x'6A' || job.id AS BLOB)
    FROM job INDEXED BY job_seq CROSS JOIN ledger WHERE seq IS NOT NULL ORDER BY seq
    """

  private static let notificationTables = """
    -- A row each, so that a job can have more than one, and other things than jobs can have some.
    CREATE TABLE notification (
      number INTEGER PRIMARY KEY,
      epoch INTEGER NOT NULL,
      moment INTEGER NOT NULL,
      event TEXT NOT NULL,
      -- See `NotificationSubject`.
      subject BLOB NOT NULL,
      body TEXT
    ) STRICT;
    -- Up to where somebody has read the notifications: what all have read may be removed.
    CREATE TABLE reader (
      name TEXT PRIMARY KEY,
      number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
