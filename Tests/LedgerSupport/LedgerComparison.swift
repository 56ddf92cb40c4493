import GRDB

/// Two files that should have the same rows, read as another program would: while a coordinator has them, too.
package struct LedgerComparison {
  private let one: DatabaseQueue
  private let other: DatabaseQueue

  /// - Throws: What SQLite says of a file that it cannot open.
  package init(_ one: String, _ other: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    self.one = try DatabaseQueue(path: one, configuration: configuration)
    self.other = try DatabaseQueue(path: other, configuration: configuration)
  }

  /// The first thing that is not the same in both, in words; nil: everything is.
  package func difference() throws -> String? {
    let schemas = try both { try String.fetchAll($0, sql: "SELECT ifnull(sql, name) FROM sqlite_master ORDER BY name") }
    guard schemas.0 == schemas.1 else { return "the schema" }
    for table in try tables() {
      if let difference = try difference(in: table) { return difference }
    }
    return nil
  }

  /// How many rows each table of the first file has.
  package func rows() throws -> [String: Int] {
    try Dictionary(
      uniqueKeysWithValues: tables().map { table in
        (table, try one.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0 })
      })
  }

  private func tables() throws -> [String] {
    try one.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") }
  }

  /// Every row with all its columns, in the order of the columns.
  private func difference(in table: String) throws -> String? {
    let rows = try both { database in
      let columns = try database.columns(in: table).indices.map { String($0 + 1) }.joined(separator: ", ")
      return try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\" ORDER BY \(columns)").map(\.description)
    }
    for (row, copy) in zip(rows.0, rows.1) where row != copy { return "\(table): \(row) and \(copy)" }
    if rows.0.count == rows.1.count { return nil }
    return "\(table): \(rows.0.count) rows and \(rows.1.count)"
  }

  private func both<Value>(_ read: (Database) throws -> Value) throws -> (Value, Value) {
    (try one.read(read), try other.read(read))
  }
}
