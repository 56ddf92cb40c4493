import GRDB
package import JobModel

extension Migrations {
  /// The ledger's own time, and which waits are for a moment of the wall clock instead.
  static func addClock(in database: Database) throws {
    try database.execute(
      sql: """
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
        -- 1: `not_before` and `start_by` are moments of the wall clock; 0: of the ledger's time.
        ALTER TABLE job ADD COLUMN by_clock INTEGER NOT NULL DEFAULT 0;
        DROP INDEX job_due;
        CREATE INDEX job_due ON job (by_clock, not_before, department) WHERE state = 0 AND not_before IS NOT NULL;
        -- What waits for a moment of the wall clock is not too late before that.
        DROP INDEX job_start_by;
        CREATE INDEX job_start_by ON job (start_by) WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0;
        """)
  }
}

extension LedgerTransaction {
  /// What was written of the ledger's clock; nil in a ledger that never had one.
  package func clock() throws -> LedgerClock.Record? {
    try statements.first("SELECT time, lead, boot, uptime, trial_end FROM clock") { cells in
      let (boot, age) = (try cells[2] as String?, try cells[3] as Int64?)
      let uptime: Uptime? = boot.flatMap { boot in age.map { Uptime(boot: boot, age: .milliseconds($0)) } }
      return LedgerClock.Record(
        time: try cells[0], lead: .milliseconds(try cells[1] as Int64), uptime: uptime,
        trialEnd: try cells[4])
    }
  }

  /// Writes down where the ledger's clock stands.
  package func saveClock(_ record: LedgerClock.Record) throws {
    try statements.run(
      "INSERT OR REPLACE INTO clock (only, time, lead, boot, uptime, trial_end) VALUES (1, ?, ?, ?, ?, ?)",
      record.time, record.lead.milliseconds, record.uptime?.boot,
      record.uptime?.age.milliseconds, record.trialEnd)
  }
}
