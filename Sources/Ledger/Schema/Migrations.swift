import GRDB
import JobModel

/// The schema of a ledger, and how a ledger of an earlier schema is brought up to it. A schema that was released is
/// never edited: a new migration is appended.
enum Migrations {
  /// `Tell`: what `file` and other programs know a ledger by.
  static let applicationID: Int32 = 0x5465_6C6C

  /// The number of the last schema, with which each name begins.
  static let last = 18

  /// A migrator that knows every schema.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // No migration changes a reference, and to check every one would double the time of a large ledger.
    migrator.registerMigration(present, foreignKeyChecks: .immediate, merging: merged) { database, applied in
      guard applied.isEmpty else { return try upgrade(database, having: applied) }
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: schema)
      try database.execute(
        sql: "INSERT INTO ledger (only, id, epoch) VALUES (1, ?, 1)", arguments: [LedgerID().text])
    }
    return migrator
  }

  /// Whether this program knows every schema that the file has had.
  static func know(_ database: Database) throws -> Bool {
    try migrator.appliedIdentifiers(database).isSubset(of: merged.union([present]))
  }

  private static let schema = [itself, jobs, besideJobs, keys, notifications, subscribers, plans, departments, rules]
    .joined(separator: "\n")
  private static let present = "18 resets of keys, rules, subscribers"
  private static let earlier = (
    plans: "17 plans, events", keys: "16 keys, drains", headers: "15 headers", notifications: "14 notifications",
    grants: "13 grants"
  )
  private static let merged: Set<String> = [
    "1 ledger", "2 jobs", "3 plans", "4 notifications", "5 workers", "6 operations", "7 numbers of ends", "8 states",
    "9 owners", "10 handlers", "11 deaths", "12 clocks",
    earlier.grants, earlier.notifications, earlier.headers, earlier.keys, earlier.plans,
  ]

  /// What the seventeenth schema has changed. Before, a plan had no rules: each of its steps was required.
  private static let plansWithRules = """
    ALTER TABLE job ADD COLUMN round INTEGER;
    UPDATE job SET round = 1 WHERE plan IS NOT NULL;
    \(stepIndex)
    ALTER TABLE plan ADD COLUMN name TEXT;
    ALTER TABLE plan ADD COLUMN rules TEXT;
    \(planPhases)
    """

  private static func upgrade(_ database: Database, having applied: Set<String>) throws {
    guard applied.contains(earlier.grants) else {
      throw LedgerError.failed("no version of Teller that was released wrote its schema")
    }
    if !applied.contains(earlier.notifications) { try database.execute(sql: notificationRows) }
    if !applied.contains(earlier.headers) { try database.execute(sql: "ALTER TABLE job ADD COLUMN headers TEXT") }
    if !applied.contains(earlier.keys) {
      try database.execute(sql: keyIndex)
      try database.execute(sql: "ALTER TABLE worker ADD COLUMN drain INTEGER NOT NULL DEFAULT 0")
    }
    if !applied.contains(earlier.plans) { try database.execute(sql: plansWithRules) }
    try database.execute(sql: rules)
    try database.execute(sql: keysWithResets)
    try database.execute(sql: subscribers)
  }
}
