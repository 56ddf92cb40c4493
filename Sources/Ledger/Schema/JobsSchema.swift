/// Jobs, and the tables that have something of one job.
extension Migrations {
  /// `state` is a `StateCode`.
  ///
  /// A job that is queued at once and succeeds costs the table, its id, and the index of states; every other index is
  /// partial and leaves it out.
  static let jobs = """
    CREATE TABLE job (
      -- The acceptance number: jobs and plans draw from one sequence.
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      department TEXT NOT NULL,
      priority INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      -- 0: nobody has said how many.
      max_attempts INTEGER NOT NULL,
      release INTEGER NOT NULL,
      token INTEGER NOT NULL,
      confirmed INTEGER NOT NULL DEFAULT 0,
      standing INTEGER NOT NULL,
      -- Its place among the init jobs of its plan.
      order_plan INTEGER,
      order_rank INTEGER,
      order_position INTEGER,
      plan BLOB,
      step TEXT,
      -- Of a plan's job: which run of its step it is, from 1; 0: it acts on an event.
      round INTEGER,
      -- What it waits for before it may be released: a time; so many rows of `dependency`; a `Withheld`, 0 for nothing
      -- of that sort.
      not_before INTEGER,
      open_dependencies INTEGER NOT NULL DEFAULT 0,
      withheld INTEGER NOT NULL DEFAULT 0,
      start_by INTEGER,
      -- A `TimeCode`: whether `not_before` and `start_by` are moments of the wall clock, and whether the job is held
      -- since the ledger was restored.
      by_clock INTEGER NOT NULL DEFAULT 0,
      timeout_ms INTEGER,
      -- Whether its release lies in the queue of its kind: 1; 0: in its department's.
      beside INTEGER NOT NULL DEFAULT 0,
      -- At how many deaths of workers it was running.
      deaths INTEGER NOT NULL DEFAULT 0,
      -- Which worker was last told to run it.
      granted_to TEXT,
      granted_at INTEGER,
      granted_number INTEGER,
      key TEXT,
      again_of BLOB,
      -- What was decided about a failed job: a `SettlementCode`.
      settlement INTEGER,
      replayed_as BLOB,
      adopted_by TEXT,
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
      -- The number of the notification of its outcome; null while it has none.
      seq INTEGER,
      trace_parent TEXT,
      trace_state TEXT,
      -- The submitter's own headers: a JSON object.
      headers TEXT,
      content_type TEXT,
      result_type TEXT,
      -- Null: in the table `payload`.
      payload BLOB,
      result BLOB
    ) STRICT;
    -- For lists, and for steps through all jobs of a state. One for all states: whatever changes a state opens every
    -- index that has the state.
    CREATE INDEX job_state ON job (state, department, kind);
    -- Those that may be released.
    CREATE INDEX job_ready ON job (department, priority, standing)
      WHERE state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 0;
    \(dueIndex)
    CREATE INDEX job_dependent ON job (department) WHERE state = 0 AND open_dependencies > 0;
    CREATE INDEX job_withheld ON job (withheld, department, kind, priority, standing)
      WHERE state = 0 AND withheld > 0;
    -- The lines of those that wait for their turn because workers died of them.
    CREATE INDEX job_suspect ON job (department, deaths, standing) WHERE state = 0 AND withheld = 2;
    -- What waits for a moment of the wall clock is not too late before that moment.
    CREATE INDEX job_start_by ON job (start_by) WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0;
    CREATE INDEX job_order ON job (department, order_plan, order_rank, order_position)
      WHERE state = 0 AND order_plan IS NOT NULL;
    CREATE INDEX job_plan ON job (plan) WHERE plan IS NOT NULL;
    \(stepIndex)
    \(keyIndex)
    CREATE INDEX job_unsettled ON job (department, kind) WHERE state = 3 AND settlement IS NULL;
    """

  /// With the attempt, which tells those that are tried again from those that are scheduled.
  static let dueIndex = """
    CREATE INDEX job_due ON job (by_clock, not_before, department, attempt) WHERE state = 0 AND not_before IS NOT NULL;
    """

  /// Without the events of plans, of which there may be many.
  static let stepIndex = "CREATE INDEX job_step ON job (plan) WHERE round > 0;"

  /// Not for who has a key now, which the table `key` says: for all jobs that ever had it.
  static let keyIndex = "CREATE INDEX job_key ON job (kind, key) WHERE key IS NOT NULL;"

  /// How a ledger gets what this schema counts of attempts, and until when workers drain.
  static let unusedAttempts = """
    ALTER TABLE attempt ADD COLUMN snoozes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE attempt ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE attempt ADD COLUMN drains INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE worker ADD COLUMN drains_until INTEGER;
    """

  static let besideJobs = """
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
      -- How often it has ended without being used up: see `UnusedAttempts`.
      snoozes INTEGER NOT NULL DEFAULT 0,
      losses INTEGER NOT NULL DEFAULT 0,
      drains INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (job, number)
    ) STRICT, WITHOUT ROWID;
    -- Only what is open: a row goes when the job it is about has ended.
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
    -- Releases that no worker may start; `job` is an acceptance number, and the job may be gone.
    CREATE TABLE void (
      id BLOB NOT NULL,
      release INTEGER NOT NULL,
      job INTEGER NOT NULL,
      department TEXT NOT NULL,
      priority INTEGER NOT NULL,
      since INTEGER NOT NULL,
      -- In the queue of which kind its message lies; null: in its department's.
      kind TEXT,
      PRIMARY KEY (id, release)
    ) STRICT, WITHOUT ROWID;
    -- How many jobs ended, ever: what is removed stays counted.
    CREATE TABLE ended (
      department TEXT NOT NULL,
      state INTEGER NOT NULL,
      jobs INTEGER NOT NULL,
      PRIMARY KEY (department, state)
    ) STRICT, WITHOUT ROWID;
    """

  /// How those jobs and plans ended that retention removed last: for jobs that are to wait for them.
  static let removed = """
    CREATE TABLE removed (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      state INTEGER NOT NULL
    ) STRICT;
    """
}
