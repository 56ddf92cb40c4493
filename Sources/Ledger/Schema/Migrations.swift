import GRDB
import JobModel

/// The schema, as the list of its changes. A change that was released is never edited: a new one is appended.
enum Migrations {
  /// `Tell`: what `file` and other programs know a ledger by.
  static let applicationID: Int32 = 0x5465_6C6C

  /// A migrator that knows every change.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 ledger") { try makeLedger(in: $0) }
    migrator.registerMigration("2 jobs") { try makeJobs(in: $0) }
    migrator.registerMigration("3 plans") { try makePlans(in: $0) }
    migrator.registerMigration("4 notifications") { try makeNotifications(in: $0) }
    migrator.registerMigration("5 workers") { try makeWorkers(in: $0) }
    // It changes no reference, and checking every one would double its time in a large ledger.
    migrator.registerMigration("6 operations", foreignKeyChecks: .immediate) { try makeOperations(in: $0) }
    migrator.registerMigration("7 numbers of ends", foreignKeyChecks: .immediate) { try numberEnds(in: $0) }
    migrator.registerMigration("8 states", foreignKeyChecks: .immediate) { try indexStates(in: $0) }
    migrator.registerMigration("9 owners", foreignKeyChecks: .immediate) { try nameOwners(in: $0) }
    migrator.registerMigration("10 handlers", foreignKeyChecks: .immediate) { try knowHandlers(in: $0) }
    migrator.registerMigration("11 deaths", foreignKeyChecks: .immediate) { try countDeaths(in: $0) }
    migrator.registerMigration("12 clocks", foreignKeyChecks: .immediate) { try addClock(in: $0) }
    migrator.registerMigration("13 grants", foreignKeyChecks: .immediate) { try recordGrants(in: $0) }
    migrator.registerMigration("14 notifications", foreignKeyChecks: .immediate) { try recordNotifications(in: $0) }
    return migrator
  }

  private static func makeLedger(in database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(
      sql: """
        CREATE TABLE ledger (
          only INTEGER PRIMARY KEY CHECK (only = 1),
          id TEXT NOT NULL,
          epoch INTEGER NOT NULL,
          -- Grows by one with each start of a coordinator.
          incarnation INTEGER NOT NULL DEFAULT 0,
          -- Up to here the notifications are in the stream.
          sent_seq INTEGER NOT NULL DEFAULT 0,
          -- No acceptance number up to here is given again, even if its job has been removed.
          used_number INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """)
    try database.execute(
      sql: "INSERT INTO ledger (only, id, epoch) VALUES (1, ?, 1)", arguments: [LedgerID().text])
  }

  /// `state` is a `StateCode`. A job that is queued at once and succeeds costs the table, the id, a moment in the small
  /// index of what is queued, and one entry more; every other index is partial and leaves it out.
  private static func makeJobs(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE job (
          number INTEGER PRIMARY KEY,
          id BLOB NOT NULL UNIQUE,
          kind TEXT NOT NULL,
          department TEXT NOT NULL,
          priority INTEGER NOT NULL,
          state INTEGER NOT NULL,
          attempt INTEGER NOT NULL,
          max_attempts INTEGER NOT NULL,
          release INTEGER NOT NULL,
          token INTEGER NOT NULL,
          confirmed INTEGER NOT NULL DEFAULT 0,
          standing INTEGER NOT NULL,
          order_plan INTEGER,
          order_rank INTEGER,
          order_position INTEGER,
          plan BLOB,
          step TEXT,
          reply_to TEXT,
          reply_correlation TEXT,
          reply_wait INTEGER,
          submitted_at INTEGER,
          accepted_at INTEGER NOT NULL,
          released_at INTEGER,
          started_at INTEGER,
          finished_at INTEGER,
          ran_us INTEGER,
          worker TEXT,
          error_code TEXT,
          error_message TEXT,
          trace_parent TEXT,
          trace_state TEXT,
          content_type TEXT,
          result_type TEXT,
          -- Null: in the table `payload`.
          payload BLOB,
          result BLOB
        ) STRICT;
        CREATE INDEX job_department ON job (department);
        CREATE INDEX job_held ON job (department, priority, standing) WHERE state = 0;
        CREATE INDEX job_queued ON job (department) WHERE state = 1;
        CREATE INDEX job_failed ON job (department) WHERE state = 3;
        CREATE INDEX job_cancelled ON job (department) WHERE state = 4;
        CREATE INDEX job_order ON job (department, order_plan, order_rank, order_position)
          WHERE state = 0 AND order_plan IS NOT NULL;
        CREATE INDEX job_plan ON job (plan) WHERE plan IS NOT NULL;
        -- Large payloads: in the job's own row each change of its state would write them again.
        CREATE TABLE payload (
          job INTEGER PRIMARY KEY REFERENCES job (number) ON DELETE CASCADE,
          bytes BLOB NOT NULL
        ) STRICT;
        -- Attempts that did not end their job; the last one is in the job's row unless more is known of it.
        CREATE TABLE attempt (
          job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE,
          number INTEGER NOT NULL,
          worker TEXT,
          started_at INTEGER,
          ended_at INTEGER NOT NULL,
          result TEXT NOT NULL,
          error_code TEXT,
          error_message TEXT,
          PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;
        -- How many jobs ended, ever: what is removed stays counted.
        CREATE TABLE ended (
          department TEXT NOT NULL,
          state INTEGER NOT NULL,
          jobs INTEGER NOT NULL,
          PRIMARY KEY (department, state)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  private static func makePlans(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE plan (
          number INTEGER PRIMARY KEY,
          id BLOB NOT NULL UNIQUE,
          department TEXT NOT NULL,
          -- Null while it is open.
          state INTEGER,
          reply_to TEXT,
          reply_correlation TEXT,
          reply_wait INTEGER,
          submitted_at INTEGER,
          accepted_at INTEGER NOT NULL,
          finished_at INTEGER,
          error_code TEXT,
          error_message TEXT,
          result_type TEXT,
          result BLOB
        ) STRICT;
        CREATE INDEX plan_open ON plan (department) WHERE state IS NULL;
        CREATE INDEX plan_finished ON plan (finished_at) WHERE state IS NOT NULL;
        """)
  }

  /// What a notification tells stands in its job's row, which does not change any more.
  private static func makeNotifications(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE notification (
          seq INTEGER PRIMARY KEY,
          job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE,
          event INTEGER NOT NULL,
          UNIQUE (job, event)
        ) STRICT
        """)
  }

  private static func makeWorkers(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE worker (
          id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          tellers TEXT NOT NULL,
          session INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """)
  }

  /// The user of the broker who announced a worker first; empty when that message named none.
  private static func nameOwners(in database: Database) throws {
    try database.execute(sql: "ALTER TABLE worker ADD COLUMN owner TEXT")
  }
}
