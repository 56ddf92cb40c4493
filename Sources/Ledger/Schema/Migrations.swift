import GRDB
import JobModel

/// The schema of a ledger, and how a ledger of an earlier schema is brought up to it. A schema that was released is
/// never edited: a new migration is appended.
enum Migrations {
  /// `Tell`: what `file` and other programs know a ledger by.
  static let applicationID: Int32 = 0x5465_6C6C

  /// The number of the last schema, with which each name begins.
  static let last = 25

  /// A migrator that knows every schema.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // No migration changes a reference, and to check every one would double the time of a large ledger.
    migrator.registerMigration(present, foreignKeyChecks: .immediate, merging: merged) { database, applied in
      guard applied.isEmpty else { return try upgrade(database, having: applied) }
      try database.execute(sql: schema)
      try database.execute(
        sql: "INSERT INTO ledger (only, id, epoch) VALUES (1, ?, 1)", arguments: [LedgerID().text])
    }
    return migrator
  }

  /// Marks a file as a ledger.
  static func mark(_ database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
  }

  /// Whether this program knows every schema that the file has had.
  static func know(_ database: Database) throws -> Bool {
    try migrator.appliedIdentifiers(database).isSubset(of: merged.union([present]))
  }

  private static let schema = [
    itself, jobs, besideJobs, keys, notifications, subscribers, plans, planNames, departments, rules, actions, removed,
    duplicates,
  ].joined(separator: "\n")
  private static let present = "25 duplicates"
  private static let merged: Set<String> = [
    "1 ledger", "2 jobs", "3 plans", "4 notifications", "5 workers", "6 operations", "7 numbers of ends", "8 states",
    "9 owners", "10 handlers", "11 deaths", "12 clocks", "13 grants", "14 notifications", "15 headers",
    "16 keys, drains", "17 plans, events", "18 resets of keys, rules, subscribers", "19 actions, busy times",
    "20 attempts not used up, drains", "21 filters of operations", "22 identities of schedules, restores",
    "23 removed jobs", "24 events by plan",
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

  /// What the last runs of submitted plans name. Before the twenty-fourth schema it was only in their rules.
  private static let namesInPlans = """
    INSERT INTO plan_name (sort, name, plan)
    SELECT DISTINCT 0, json_extract(event.value, '$.name'), plan_phase.name
    FROM plan_phase JOIN plan ON plan.id = run, json_each(rules, '$.events') AS event WHERE configured = 0;
    INSERT INTO plan_name (sort, name, plan)
    SELECT DISTINCT 1, gate.value, plan_phase.name
    FROM plan_phase JOIN plan ON plan.id = run, json_each(rules, '$.gates') AS gate WHERE configured = 0;
    """

  /// The number of the first schema that a released version wrote.
  private static let first = 13
  /// What each later schema has changed.
  private static let changes: [(schema: Int, sql: String)] = [
    (14, notificationRows),
    (15, "ALTER TABLE job ADD COLUMN headers TEXT;"),
    (16, keyIndex + "\nALTER TABLE worker ADD COLUMN drain INTEGER NOT NULL DEFAULT 0;"),
    (17, plansWithRules),
    (18, [rules, keysWithResets, subscribers].joined(separator: "\n")),
    (19, actions),
    (20, unusedAttempts),
    (21, "ALTER TABLE operation ADD COLUMN filter TEXT;\nDROP INDEX job_due;\n" + dueIndex),
    (22, "ALTER TABLE schedule ADD COLUMN identity TEXT;\nALTER TABLE ledger ADD COLUMN restored_at INTEGER;"),
    (23, removed),
    (24, "DROP INDEX IF EXISTS event_waiting;\n\(planNames)\n\(namesInPlans)\n\(operationIndex)"),
    (25, duplicates + "\nALTER TABLE ledger ADD COLUMN unanswered_seq INTEGER;"),
  ]

  /// A file knows only the name of the schema that it has: the names of earlier ones are gone.
  private static func upgrade(_ database: Database, having applied: Set<String>) throws {
    let present = applied.compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
    guard present >= first else {
      throw LedgerError.failed("no version of Teller that was released wrote its schema")
    }
    for change in changes where change.schema > present { try database.execute(sql: change.sql) }
  }
}
