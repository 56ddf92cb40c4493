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
    let statement = try prepare(sql, values)
    let rows = try Row.fetchCursor(statement)
    var decoded: [T] = []
    while try rows.next() != nil {
      decoded.append(try decode(Cells(statement: statement.sqliteStatement)))
    }
    return decoded
  }

  /// Hands over the rows of a statement that changes nothing, one by one, until `body` wants no more.
  func each(_ sql: String, _ values: [DatabaseValue] = [], _ body: (Cells) throws -> Bool) throws {
    let statement = try prepare(sql, values)
    let rows = try Row.fetchCursor(statement)
    while try rows.next() != nil, try body(Cells(statement: statement.sqliteStatement)) {}
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
