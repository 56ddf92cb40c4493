import GRDB

extension Migrations {
  /// What is known of handlers: which kinds a worker has them for, which jobs wait for one, and in which queue a release
  /// lies.
  static func knowHandlers(in database: Database) throws {
    try database.execute(
      sql: """
        -- A `Withheld`; 0: nothing of that sort. Only of jobs that wait for no time and no other job.
        ALTER TABLE job ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
        -- Whether its release lies in the queue of its kind: 1; 0: in its department's.
        ALTER TABLE job ADD COLUMN beside INTEGER NOT NULL DEFAULT 0;
        -- In the queue of which kind its message lies; null: in its department's.
        ALTER TABLE void ADD COLUMN kind TEXT;
        -- The kinds that a worker has handlers for, as a JSON array; null: it takes every kind.
        ALTER TABLE worker ADD COLUMN kinds TEXT;
        -- The queues beside those of departments that exist, or may.
        CREATE TABLE kind_queue (
          department TEXT NOT NULL,
          kind TEXT NOT NULL,
          PRIMARY KEY (department, kind)
        ) STRICT, WITHOUT ROWID;
        DROP INDEX job_ready;
        CREATE INDEX job_ready ON job (department, priority, standing)
          WHERE state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 0;
        CREATE INDEX job_withheld ON job (withheld, department, kind, priority, standing)
          WHERE state = 0 AND withheld > 0;
        """)
  }
}
