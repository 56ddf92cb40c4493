import GRDB
import GRDBSQLite

/// A statement that is bound and stepped by SQLite's own functions: for a statement that runs for every job, GRDB's
/// values and checks would cost more than SQLite.
///
/// GRDB prepares the statement and keeps it. It may be used within the transaction that asked for it, and not while it
/// runs already.
final class PreparedStatement {
  /// Keeps the handle alive.
  private let statement: Statement
  private let handle: SQLiteStatement
  private let connection: OpaquePointer?
  /// Nil: nobody asked for what is written.
  private let recorder: Recorder?

  init(_ statement: Statement, recorder: Recorder? = nil) {
    self.statement = statement
    self.recorder = recorder
    handle = statement.sqliteStatement
    connection = sqlite3_db_handle(handle)
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func run(_ bind: (inout Bindings) -> Void) throws -> Int {
    defer { clear() }
    try begin(bind)
    while try step() {}
    return Int(sqlite3_changes(connection))
  }

  /// Every row of a statement.
  func all<T>(_ bind: (inout Bindings) -> Void, _ decode: (Cells) throws -> T) throws -> [T] {
    defer { clear() }
    try begin(bind)
    var decoded: [T] = []
    while try step() { decoded.append(try decode(Cells(handle))) }
    return decoded
  }

  /// The first row of a statement that has one row at most.
  func first<T>(_ bind: (inout Bindings) -> Void, _ decode: (Cells) throws -> T) throws -> T? {
    defer { clear() }
    try begin(bind)
    guard try step() else { return nil }
    let decoded = try decode(Cells(handle))
    // To its end: a statement that changes something and is stopped before its end makes the commit fail.
    while try step() {}
    return decoded
  }

  /// Hands over the rows of a statement that changes nothing, one by one, until `body` returns false.
  func each(_ bind: (inout Bindings) -> Void, _ body: (Cells) throws -> Bool) throws {
    defer { clear() }
    try begin(bind)
    while try step(), try body(Cells(handle)) {}
  }

  private func begin(_ bind: (inout Bindings) -> Void) throws {
    // When an earlier statement failed, SQLite may have undone the transaction. This statement would then be a
    // transaction by itself.
    guard sqlite3_get_autocommit(connection) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was undone")
    }
    var bindings = Bindings(handle, isRecorded: recorder != nil)
    bind(&bindings)
    assert(bindings.isComplete, "a column is named in the statement, and nobody binds its value")
    if bindings.code != SQLITE_OK { throw error(bindings.code) }
    recorder?.begin(bindings.recorded ?? [])
  }

  /// Whether there is a row.
  private func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw error(code) }
    if let recorder, sqlite3_stmt_readonly(handle) == 0, sqlite3_changes(connection) > 0 {
      recorder.end(statement.sql)
    }
    return false
  }

  /// Without the SQL and its values: people see it.
  private func error(_ code: CInt) -> DatabaseError {
    let message = sqlite3_errmsg(connection).map { String(cString: $0) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  /// Frees the row and the values: else a large result would be kept until the next job ends.
  private func clear() {
    // This returns the error of the last step once more.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}
