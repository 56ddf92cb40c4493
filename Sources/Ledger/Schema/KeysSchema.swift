/// Keys, and how a ledger gets this schema whose keys could not be reset.
extension Migrations {
  static let keys = """
    CREATE TABLE key (
      kind TEXT NOT NULL,
      text TEXT NOT NULL,
      job BLOB NOT NULL,
      -- 0: taken only while its job has no outcome.
      until INTEGER NOT NULL,
      -- When to look whether it can be given back: later than `until` if its job was still under way then.
      look_at INTEGER NOT NULL,
      -- The outcome, once the job's row is removed.
      state INTEGER,
      error_code TEXT,
      error_message TEXT,
      result_type TEXT,
      result BLOB,
      -- The acceptance number of the job; 0: not known.
      number INTEGER NOT NULL DEFAULT 0,
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
    \(keyResets)
    """

  private static let keyResets = """
    -- Keys that were reset. Jobs up to that number had the key before, and count as if they never had it.
    CREATE TABLE key_reset (
      kind TEXT NOT NULL,
      -- Empty: all keys of the kind.
      text TEXT NOT NULL,
      number INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (kind, text)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX key_reset_at ON key_reset (at);
    """

  static let duplicates = """
    -- Submissions whose key another job had when they came, or whose plan's name another run: one that comes again is a
    -- duplicate still.
    CREATE TABLE duplicate (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      -- The acceptance number of that job, or of that run, which may be gone: no number is given again.
      job INTEGER NOT NULL
    ) STRICT;
    """

  /// What the schema with resets of keys has changed.
  static let keysWithResets = """
    ALTER TABLE key ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
    UPDATE key SET number = ifnull((SELECT number FROM job WHERE id = key.job), 0);
    ALTER TABLE operation ADD COLUMN key TEXT;
    \(keyResets)
    """
}
