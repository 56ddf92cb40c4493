/// What operators did, and since when departments are busy.
extension Migrations {
  static let actions = """
    CREATE TABLE action (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      action TEXT NOT NULL,
      -- The name that the command carried, and the user of the broker who sent it.
      by_name TEXT,
      user TEXT,
      job BLOB,
      department TEXT,
      kind TEXT,
      name TEXT,
      detail TEXT,
      operation INTEGER,
      -- The command's own id: one that comes again is recorded once.
      command BLOB
    ) STRICT;
    CREATE INDEX action_job ON action (job, number) WHERE job IS NOT NULL;
    CREATE INDEX action_operation ON action (operation) WHERE operation IS NOT NULL;
    CREATE INDEX action_command ON action (command) WHERE command IS NOT NULL;
    CREATE INDEX action_at ON action (at);
    -- Since when jobs of a department wait or run all the time; a busy time of less than a second is not written down.
    CREATE TABLE busy_time (
      department TEXT PRIMARY KEY,
      since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
