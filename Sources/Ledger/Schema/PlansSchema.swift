/// Plans, departments and their workers, and the ledger itself.
extension Migrations {
  static let itself = """
    CREATE TABLE ledger (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      id TEXT NOT NULL,
      epoch INTEGER NOT NULL,
      -- When the present epoch began; null in the first one.
      epoch_at INTEGER,
      -- What was due by then is to be held: a ledger that was lost may have done it. Null: all of that is held, or nothing.
      restored_at INTEGER,
      -- Grows by one with each start of a coordinator.
      incarnation INTEGER NOT NULL DEFAULT 0,
      -- No acceptance number up to here is given again, even if its job has been removed.
      used_number INTEGER NOT NULL DEFAULT 0,
      -- How many turns have changed it.
      turn INTEGER NOT NULL DEFAULT 0,
      -- How far it had come when the notification stream did not answer a session; null: the stream has answered since.
      unanswered_seq INTEGER
    ) STRICT;
    CREATE TABLE clock (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      -- The ledger's time when this was written.
      time INTEGER NOT NULL,
      -- How many milliseconds that was later than the wall clock.
      lead INTEGER NOT NULL,
      -- Which start of the machine that was, and how many milliseconds after it; null: not known.
      boot TEXT,
      uptime INTEGER,
      -- Nothing is removed for its age before that time; null: it may be.
      trial_end INTEGER
    ) STRICT;
    """

  static let plans = """
    CREATE TABLE plan (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      department TEXT NOT NULL,
      -- Null: it only runs.
      name TEXT,
      -- The plan without what its steps carry, as JSON.
      rules TEXT,
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
    \(planPhases)
    CREATE TABLE schedule (
      name TEXT PRIMARY KEY,
      last INTEGER NOT NULL,
      -- What makes it another schedule when it is edited; null: not known.
      identity TEXT
    ) STRICT, WITHOUT ROWID;
    """

  static let planPhases = """
    -- Where the plans of a name stand.
    CREATE TABLE plan_phase (
      name TEXT PRIMARY KEY,
      -- The last run; null: it was stopped before there was one.
      run BLOB,
      phase TEXT NOT NULL,
      -- Whether the departments behind its gates are served.
      gates_open INTEGER NOT NULL,
      -- Whether the run was started from the configuration.
      configured INTEGER NOT NULL,
      -- Whether the run's plan has gates, and whether it receives events.
      has_gates INTEGER NOT NULL,
      has_events INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX plan_phase_run ON plan_phase (run);
    -- Commands that stopped plans. One that comes again must not stop the run that began meanwhile.
    CREATE TABLE plan_command (
      id BLOB PRIMARY KEY,
      -- What was answered, as JSON.
      answer TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX plan_command_at ON plan_command (at);
    CREATE TABLE event (
      -- In the order in which they came.
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      name TEXT NOT NULL,
      plan TEXT NOT NULL,
      department TEXT NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      -- Null: its job has it.
      payload BLOB,
      trace_parent TEXT,
      trace_state TEXT,
      headers TEXT,
      reply_to TEXT,
      reply_correlation TEXT,
      reply_wait INTEGER,
      submitted_at INTEGER,
      received_at INTEGER NOT NULL,
      -- When it got its present state, unless it came in it.
      decided_at INTEGER
    ) STRICT;
    CREATE INDEX event_decided ON event (ifnull(decided_at, received_at)) WHERE state IN ('acted', 'dismissed');
    """

  /// What events of one plan, or of one state, are found by; and the names in submitted plans.
  static let planNames = """
    CREATE INDEX event_plan ON event (plan, state, number);
    CREATE INDEX event_state ON event (state, number);
    -- What the last run of a submitted plan names: so the plan that receives an event is found without its rules.
    -- The columns in the order of the key: PRAGMA quick_check misreads a table WITHOUT ROWID whose key has another one.
    CREATE TABLE plan_name (
      -- 0: an event that it receives; 1: a department behind its gates.
      sort INTEGER NOT NULL,
      name TEXT NOT NULL,
      plan TEXT NOT NULL REFERENCES plan_phase (name) ON DELETE CASCADE,
      PRIMARY KEY (sort, name, plan)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX plan_name_plan ON plan_name (plan, sort, name);
    """

  static let departments = """
    CREATE TABLE department (
      name TEXT PRIMARY KEY,
      paused INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- The queues beside those of departments that exist, or may.
    CREATE TABLE kind_queue (
      department TEXT NOT NULL,
      kind TEXT NOT NULL,
      PRIMARY KEY (department, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE worker (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      tellers TEXT NOT NULL,
      wanted TEXT NOT NULL DEFAULT '{}',
      session INTEGER NOT NULL,
      -- The user of the broker who announced it first; empty when that message named none.
      owner TEXT,
      -- The kinds that it has handlers for, as a JSON array; null: it takes every kind.
      kinds TEXT,
      -- The last number that the claims had used when it was welcomed; null: not known.
      welcomed_number INTEGER,
      -- When it was given up; null while it is waited for.
      left_at INTEGER,
      -- Whether an operator has ordered it to drain.
      drain INTEGER NOT NULL DEFAULT 0,
      -- Until when it has said that its drain takes; null: it has not said that it drains.
      drains_until INTEGER
    ) STRICT, WITHOUT ROWID;
    -- What operators ordered for many jobs at once.
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
      command BLOB UNIQUE,
      -- Of a reset of one key.
      key TEXT,
      -- What narrows its jobs beside department and kind: a JSON object; null: nothing.
      filter TEXT
    ) STRICT;
    -- Those that go on have no time, and come first.
    CREATE INDEX operation_finished ON operation (finished_at);
    \(operationIndex)
    """
  /// For the operation that has settled a job: the first of its sort behind the job's end.
  static let operationIndex = "CREATE INDEX operation_started ON operation (action, department, kind, started_at);"
}
