/// The schema before the present one, as a new ledger had it.
enum ThirteenthSchema {
  static let sql = """
    PRAGMA application_id = 0x54656C6C;
    CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL, epoch INTEGER NOT NULL,
      incarnation INTEGER NOT NULL DEFAULT 0, sent_seq INTEGER NOT NULL DEFAULT 0, used_number INTEGER NOT NULL
      DEFAULT 0, epoch_at INTEGER) STRICT;
    CREATE TABLE job (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, department TEXT NOT
      NULL, priority INTEGER NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL, max_attempts INTEGER NOT
      NULL, release INTEGER NOT NULL, token INTEGER NOT NULL, confirmed INTEGER NOT NULL DEFAULT 0, standing INTEGER
      NOT NULL, order_plan INTEGER, order_rank INTEGER, order_position INTEGER, plan BLOB, step TEXT, reply_to TEXT,
      reply_correlation TEXT, reply_wait INTEGER, submitted_at INTEGER, accepted_at INTEGER NOT NULL, released_at
      INTEGER, started_at INTEGER, finished_at INTEGER, ran_us INTEGER, worker TEXT, error_code TEXT, error_message
      TEXT, trace_parent TEXT, trace_state TEXT, content_type TEXT, result_type TEXT, payload BLOB, result BLOB,
      not_before INTEGER, open_dependencies INTEGER NOT NULL DEFAULT 0, start_by INTEGER, timeout_ms INTEGER, key
      TEXT, again_of BLOB, settlement INTEGER, replayed_as BLOB, adopted_by TEXT, seq INTEGER, withheld INTEGER NOT
      NULL DEFAULT 0, beside INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0, by_clock INTEGER NOT
      NULL DEFAULT 0, granted_to TEXT, granted_at INTEGER, granted_number INTEGER) STRICT;
    CREATE TABLE payload (job INTEGER PRIMARY KEY REFERENCES job (number) ON DELETE CASCADE, bytes BLOB NOT NULL)
      STRICT;
    CREATE TABLE attempt (job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE, number INTEGER NOT NULL,
      worker TEXT, started_at INTEGER, ended_at INTEGER NOT NULL, result TEXT NOT NULL, error_code TEXT,
      error_message TEXT, PRIMARY KEY (job, number)) STRICT, WITHOUT ROWID;
    CREATE TABLE ended (department TEXT NOT NULL, state INTEGER NOT NULL, jobs INTEGER NOT NULL, PRIMARY KEY
      (department, state)) STRICT, WITHOUT ROWID;
    CREATE TABLE plan (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, department TEXT NOT NULL, state INTEGER,
      reply_to TEXT, reply_correlation TEXT, reply_wait INTEGER, submitted_at INTEGER, accepted_at INTEGER NOT NULL,
      finished_at INTEGER, error_code TEXT, error_message TEXT, result_type TEXT, result BLOB) STRICT;
    CREATE TABLE worker (id TEXT PRIMARY KEY, name TEXT NOT NULL, tellers TEXT NOT NULL, session INTEGER NOT NULL,
      wanted TEXT NOT NULL DEFAULT '{}', left_at INTEGER, owner TEXT, kinds TEXT, welcomed_number INTEGER) STRICT,
      WITHOUT ROWID;
    CREATE TABLE dependency (job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE, on_id BLOB NOT NULL,
      rule INTEGER NOT NULL, known INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (job, on_id)) STRICT,
      WITHOUT ROWID;
    CREATE TABLE department (name TEXT PRIMARY KEY, paused INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE void (id BLOB NOT NULL, release INTEGER NOT NULL, job INTEGER NOT NULL, department TEXT NOT NULL,
      priority INTEGER NOT NULL, since INTEGER NOT NULL, kind TEXT, PRIMARY KEY (id, release)) STRICT, WITHOUT
      ROWID;
    CREATE TABLE schedule (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE key (kind TEXT NOT NULL, text TEXT NOT NULL, job BLOB NOT NULL, until INTEGER NOT NULL, look_at
      INTEGER NOT NULL, state INTEGER, error_code TEXT, error_message TEXT, result_type TEXT, result BLOB, PRIMARY
      KEY (kind, text)) STRICT, WITHOUT ROWID;
    CREATE TABLE key_command (id BLOB PRIMARY KEY, changed INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT
      ROWID;
    CREATE TABLE operation (id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, department TEXT, kind TEXT,
      up_to INTEGER NOT NULL, position INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0, looked
      INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL, started_at INTEGER NOT NULL, finished_at INTEGER, command
      BLOB UNIQUE) STRICT;
    CREATE TABLE kind_queue (department TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (department, kind)) STRICT,
      WITHOUT ROWID;
    CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), time INTEGER NOT NULL, lead INTEGER NOT NULL,
      boot TEXT, uptime INTEGER, trial_end INTEGER) STRICT;
    CREATE INDEX job_order ON job (department, order_plan, order_rank, order_position) WHERE state = 0 AND
      order_plan IS NOT NULL;
    CREATE INDEX job_plan ON job (plan) WHERE plan IS NOT NULL;
    CREATE INDEX plan_open ON plan (department) WHERE state IS NULL;
    CREATE INDEX plan_finished ON plan (finished_at) WHERE state IS NOT NULL;
    CREATE INDEX job_dependent ON job (department) WHERE state = 0 AND open_dependencies > 0;
    CREATE INDEX job_unsettled ON job (department, kind) WHERE state = 3 AND settlement IS NULL;
    CREATE INDEX dependency_on ON dependency (on_id);
    CREATE INDEX dependency_unknown ON dependency (since) WHERE known = 0;
    CREATE INDEX key_look ON key (look_at);
    CREATE INDEX key_command_at ON key_command (at);
    CREATE INDEX operation_finished ON operation (finished_at);
    CREATE UNIQUE INDEX job_seq ON job (seq) WHERE seq IS NOT NULL;
    CREATE INDEX job_state ON job (state, department, kind);
    CREATE INDEX job_ready ON job (department, priority, standing) WHERE state = 0 AND not_before IS NULL AND
      open_dependencies = 0 AND withheld = 0;
    CREATE INDEX job_withheld ON job (withheld, department, kind, priority, standing) WHERE state = 0 AND withheld >
      0;
    CREATE INDEX job_suspect ON job (department, deaths, standing) WHERE state = 0 AND withheld = 2;
    CREATE INDEX job_due ON job (by_clock, not_before, department) WHERE state = 0 AND not_before IS NOT NULL;
    CREATE INDEX job_start_by ON job (start_by) WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0;
    CREATE VIEW notification AS SELECT seq, number AS job, state AS event FROM job WHERE seq IS NOT NULL;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations (identifier) VALUES
      ('1 ledger'), ('2 jobs'), ('3 plans'), ('4 notifications'), ('5 workers'), ('6 operations'), ('7 numbers of ends'),
      ('8 states'), ('9 owners'), ('10 handlers'), ('11 deaths'), ('12 clocks'), ('13 grants');
    INSERT INTO ledger (only, id, epoch) VALUES (1, 'L1', 1);
    """
}
