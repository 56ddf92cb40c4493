import GRDB

extension Migrations {
  /// What holds, limits, cancels and repeats jobs. Every new index of `job` is partial, and all but one leave out a job
  /// that is queued at once and succeeds; that one takes the place of `job_department`, which had every job.
  static func makeOperations(in database: Database) throws {
    try database.execute(sql: jobColumns)
    try database.execute(sql: jobIndexes)
    try database.execute(sql: dependencies)
    try database.execute(sql: departments)
    try database.execute(sql: keys)
    try database.execute(sql: operations)
  }

  private static let jobColumns = """
    ALTER TABLE job ADD COLUMN not_before INTEGER;
    -- How many rows of `dependency` it has.
    ALTER TABLE job ADD COLUMN open_dependencies INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE job ADD COLUMN start_by INTEGER;
    ALTER TABLE job ADD COLUMN timeout_ms INTEGER;
    ALTER TABLE job ADD COLUMN key TEXT;
    ALTER TABLE job ADD COLUMN again_of BLOB;
    -- A `SettlementCode`.
    ALTER TABLE job ADD COLUMN settlement INTEGER;
    ALTER TABLE job ADD COLUMN replayed_as BLOB;
    ALTER TABLE job ADD COLUMN adopted_by TEXT;
    -- When the present epoch began; null in the first one.
    ALTER TABLE ledger ADD COLUMN epoch_at INTEGER;
    """

  /// Each state has an index of its own for lists, and for steps through all of its jobs; `job_ready` has those that may
  /// be released. Of what is queued there is never so much that the kind would be worth its room.
  private static let jobIndexes = """
    DROP INDEX job_department;
    DROP INDEX job_held;
    DROP INDEX job_failed;
    DROP INDEX job_cancelled;
    CREATE INDEX job_held ON job (department, kind) WHERE state = 0;
    CREATE INDEX job_succeeded ON job (department, kind) WHERE state = 2;
    CREATE INDEX job_failed ON job (department, kind) WHERE state = 3;
    CREATE INDEX job_cancelled ON job (department, kind) WHERE state = 4;
    CREATE INDEX job_ready ON job (department, priority, standing)
      WHERE state = 0 AND not_before IS NULL AND open_dependencies = 0;
    CREATE INDEX job_due ON job (not_before, department) WHERE state = 0 AND not_before IS NOT NULL;
    CREATE INDEX job_dependent ON job (department) WHERE state = 0 AND open_dependencies > 0;
    CREATE INDEX job_start_by ON job (start_by) WHERE state < 2 AND start_by IS NOT NULL;
    CREATE INDEX job_unsettled ON job (department, kind) WHERE state = 3 AND settlement IS NULL;
    """

  /// Only what is open: a row goes when the job it is about has ended.
  private static let dependencies = """
    CREATE TABLE dependency (
      job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE,
      on_id BLOB NOT NULL,
      -- 0: the job fails when the other one does; 1: it is cancelled.
      rule INTEGER NOT NULL,
      -- Whether the other one is known to be in the ledger.
      known INTEGER NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (job, on_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dependency_on ON dependency (on_id);
    CREATE INDEX dependency_unknown ON dependency (since) WHERE known = 0;
    """

  private static let departments = """
    CREATE TABLE department (
      name TEXT PRIMARY KEY,
      paused INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE worker ADD COLUMN wanted TEXT NOT NULL DEFAULT '{}';
    -- When it was given up; null while it is waited for.
    ALTER TABLE worker ADD COLUMN left_at INTEGER;
    -- Releases that no worker may start; `job` is an acceptance number, and the job may be gone.
    CREATE TABLE void (
      id BLOB NOT NULL,
      release INTEGER NOT NULL,
      job INTEGER NOT NULL,
      department TEXT NOT NULL,
      priority INTEGER NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (id, release)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE schedule (
      name TEXT PRIMARY KEY,
      last INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  private static let keys = """
    CREATE TABLE key (
      kind TEXT NOT NULL,
      text TEXT NOT NULL,
      job BLOB NOT NULL,
      until INTEGER NOT NULL,
      -- When to look whether it can be given back: later than `until` if its job was still under way then.
      look_at INTEGER NOT NULL,
      -- The outcome, once the job's row is removed.
      state INTEGER,
      error_code TEXT,
      error_message TEXT,
      result_type TEXT,
      result BLOB,
      PRIMARY KEY (kind, text)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX key_look ON key (look_at);
    -- Commands that gave keys back. One that comes again must not take the key from who has it by then.
    CREATE TABLE key_command (
      id BLOB PRIMARY KEY,
      changed INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX key_command_at ON key_command (at);
    """

  private static let operations = """
    CREATE TABLE operation (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      action TEXT NOT NULL,
      department TEXT,
      kind TEXT,
      -- The last acceptance number that it is about.
      up_to INTEGER NOT NULL,
      -- The acceptance number up to which it has come.
      position INTEGER NOT NULL DEFAULT 0,
      changed INTEGER NOT NULL DEFAULT 0,
      looked INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      finished_at INTEGER,
      -- Its sender's id for it, by which it is known when it comes again.
      command BLOB UNIQUE
    ) STRICT;
    -- Those that go on have no time, and come first.
    CREATE INDEX operation_finished ON operation (finished_at);
    """
}
