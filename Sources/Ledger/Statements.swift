import GRDB

/// Prepared statements of one connection: each text is prepared once and kept by the connection.
struct Statements {
  let database: Database

  /// Runs a statement that returns nothing, and says how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [DatabaseValue] = []) throws -> Int {
    let statement = try prepare(sql, values)
    try statement.execute()
    return database.changesCount
  }

  /// Every row of a statement. A statement that changes something must be stepped to its end, or the commit fails.
  func all<T>(_ sql: String, _ values: [DatabaseValue] = [], _ decode: (Cells) throws -> T) throws -> [T] {
    let rows = try Row.fetchCursor(prepare(sql, values))
    var decoded: [T] = []
    while let row = try rows.next() {
      decoded.append(try decode(Cells(row: row)))
    }
    return decoded
  }

  /// Hands over the rows of a statement that changes nothing, one by one, until `body` wants no more.
  func each(_ sql: String, _ values: [DatabaseValue] = [], _ body: (Cells) throws -> Bool) throws {
    let rows = try Row.fetchCursor(prepare(sql, values))
    while let row = try rows.next(), try body(Cells(row: row)) {}
  }

  /// The first row of a statement that has one row at most.
  func first<T>(_ sql: String, _ values: [DatabaseValue] = [], _ decode: (Cells) throws -> T) throws -> T? {
    try all(sql, values, decode).first
  }

  private func prepare(_ sql: String, _ values: [DatabaseValue]) throws -> Statement {
    let statement = try database.cachedStatement(sql: sql)
    try statement.setArguments(StatementArguments(values))
    return statement
  }
}
