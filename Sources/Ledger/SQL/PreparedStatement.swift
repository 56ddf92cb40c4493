import GRDB
import GRDBSQLite

/// A statement that is bound and stepped through SQLite itself: what runs for every job would cost more in GRDB's values
/// and checks than in SQLite. GRDB prepares it and keeps it; it is valid within the transaction that it was asked for in,
/// and never while one of its runs goes on.
struct PreparedStatement {
  /// Keeps the handle alive.
  private let statement: Statement
  private let handle: SQLiteStatement
  private let connection: OpaquePointer?

  init(_ statement: Statement) {
    self.statement = statement
    handle = statement.sqliteStatement
    connection = sqlite3_db_handle(handle)
  }

  /// Runs a statement that returns nothing, and says how many rows it changed.
  @discardableResult
  func run(_ bind: (inout Bindings) -> Void) throws -> Int {
    try each(bind) { _ in true }
    return Int(sqlite3_changes(connection))
  }

  /// Every row of a statement.
  func all<T>(_ bind: (inout Bindings) -> Void, _ decode: (Cells) throws -> T) throws -> [T] {
    var decoded: [T] = []
    try each(bind) { cells in
      decoded.append(try decode(cells))
      return true
    }
    return decoded
  }

  /// The first row of a statement that has one row at most.
  func first<T>(_ bind: (inout Bindings) -> Void, _ decode: (Cells) throws -> T) throws -> T? {
    var decoded: T?
    // To its end: a statement that changes something and was stopped before that keeps the transaction from its commit.
    try each(bind) { cells in
      decoded = try decode(cells)
      return true
    }
    return decoded
  }

  /// Hands over the rows one by one, until `body` wants no more; it may stop only a statement that changes nothing.
  func each(_ bind: (inout Bindings) -> Void, _ body: (Cells) throws -> Bool) throws {
    defer { clear() }
    try begin(bind)
    while try step(), try body(Cells(handle)) {}
  }

  private func begin(_ bind: (inout Bindings) -> Void) throws {
    // SQLite may have undone the transaction when a statement before this one failed: outside of it, this one would be
    // a transaction of its own.
    guard sqlite3_get_autocommit(connection) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was undone")
    }
    var bindings = Bindings(handle)
    bind(&bindings)
    assert(bindings.isComplete, "a column is named in the statement, and nobody binds its value")
    if bindings.code != SQLITE_OK { throw error(bindings.code) }
  }

  /// Whether there is a row.
  private func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw error(code)
  }

  /// Without the SQL and its values, as people are told it.
  private func error(_ code: CInt) -> DatabaseError {
    let message = sqlite3_errmsg(connection).map { String(cString: $0) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  /// Lets go of the row, and of the values: a large result is not kept until the next job ends.
  private func clear() {
    // What it returns is the last step's error once more.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}

/// The values of a statement's parameters. Each is copied; what is not bound is null.
struct Bindings {
  private let statement: SQLiteStatement
  private var last: CInt = 0
  /// One bit for each parameter that has its value.
  private var bound: UInt64 = 0
  /// The first error.
  private(set) var code = SQLITE_OK

  init(_ statement: SQLiteStatement) { self.statement = statement }

  /// The value of the next parameter: `?`.
  mutating func add(_ value: some Cell) {
    last += 1
    note(value.stored.bind(to: statement, at: last), last)
  }

  /// The same of several.
  mutating func add(_ values: [StoredValue]) {
    for value in values {
      last += 1
      note(value.bind(to: statement, at: last), last)
    }
  }

  /// The value of a column: of ``JobColumn/parameter``.
  mutating func bind(_ column: JobColumn, _ value: some Cell) {
    let index = CInt(column.rawValue + 1)
    note(value.stored.bind(to: statement, at: index), index)
  }

  private mutating func note(_ result: CInt, _ index: CInt) {
    bound |= 1 << UInt64(index)
    if code == SQLITE_OK { code = result }
  }

  /// Whether every parameter with a number has its value.
  var isComplete: Bool {
    (0..<sqlite3_bind_parameter_count(statement)).allSatisfy { index in
      bound & 1 << UInt64(index + 1) != 0 || sqlite3_bind_parameter_name(statement, index + 1) == nil
    }
  }
}
