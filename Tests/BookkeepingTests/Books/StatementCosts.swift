import GRDB
import GRDBSQLite

@testable import Ledger

/// What the statements of a ledger have cost: SQLite counts the steps of each that is prepared.
struct StatementCosts {
  /// The steps of one run, on average, by the text.
  private(set) var steps: [String: Double] = [:]
  /// How SQLite finds the rows.
  private(set) var plans: [String: String] = [:]

  init(of ledger: Ledger) throws {
    try ledger.pool.read { read($0) }
    ledger.pool.writeWithoutTransaction { database in
      read(database)
      for sql in steps.keys { plans[sql] = StatementCosts.plan(sql, database) }
    }
  }

  private mutating func read(_ database: Database) {
    var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
    while let present = statement {
      let runs = sqlite3_stmt_status(present, SQLITE_STMTSTATUS_RUN, 0)
      let steps = sqlite3_stmt_status(present, SQLITE_STMTSTATUS_VM_STEP, 0)
      if runs > 0, let sql = sqlite3_sql(present).map({ String(cString: $0) }) {
        self.steps[sql] = max(self.steps[sql] ?? 0, Double(steps) / Double(runs))
      }
      statement = sqlite3_next_stmt(database.sqliteConnection, present)
    }
  }

  private static func plan(_ sql: String, _ database: Database) -> String {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database.sqliteConnection, "EXPLAIN QUERY PLAN \(sql)", -1, &statement, nil) == SQLITE_OK
    else { return "" }
    defer { sqlite3_finalize(statement) }
    var lines: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let text = sqlite3_column_text(statement, 3) { lines.append(String(cString: text)) }
    }
    return lines.joined(separator: " | ")
  }
}
