import Foundation
import GRDB
import GRDBSQLite

/// A statement of the connection that writes, bound and stepped through SQLite itself: what runs for every job would cost
/// more in GRDB's values and checks than in SQLite. GRDB prepares it and keeps it; it is valid within the transaction
/// that it was asked for in, and never while one of its runs goes on.
final class PreparedStatement {
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
    while try step() { decoded.append(try decode(Cells(statement: handle))) }
    return decoded
  }

  /// The first row of a statement that changes nothing and has one row at most.
  func first<T>(_ bind: (inout Bindings) -> Void, _ decode: (Cells) throws -> T) throws -> T? {
    defer { clear() }
    try begin(bind)
    return try step() ? decode(Cells(statement: handle)) : nil
  }

  private func begin(_ bind: (inout Bindings) -> Void) throws {
    // SQLite may have undone the transaction when a statement before this one failed: outside of it, this one would be
    // a transaction of its own.
    guard sqlite3_get_autocommit(connection) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was undone")
    }
    var bindings = Bindings(handle)
    bind(&bindings)
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

/// The values of a statement's parameters, in their order. Each is copied; what is not bound is null.
struct Bindings {
  private let handle: SQLiteStatement
  private var index: CInt = 0
  /// The first error.
  private(set) var code = SQLITE_OK

  init(_ handle: SQLiteStatement) { self.handle = handle }

  mutating func add(_ value: some Cell) {
    index += 1
    let result = value.stored.bind(to: handle, at: index)
    if code == SQLITE_OK { code = result }
  }

  // Not of any number: the compiler makes code for the types of each value only where their number is fixed.
  mutating func add(_ first: some Cell, _ second: some Cell, _ third: some Cell, _ fourth: some Cell) {
    add(first)
    add(second)
    add(third)
    add(fourth)
  }
}

/// What SQLite itself can store.
protocol StoredCell {
  var value: DatabaseValue { get }
  /// Binds a copy to a parameter that is null, and returns SQLite's code.
  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt
}

/// `SQLITE_TRANSIENT`, a macro that Swift does not see: SQLite copies the bytes before it returns.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: StoredCell {
  var value: DatabaseValue { databaseValue }

  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt { sqlite3_bind_int64(handle, index, self) }
}

extension String: StoredCell {
  var value: DatabaseValue { databaseValue }

  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt {
    var text = self
    return text.withUTF8 { bytes in
      // No pointer would mean null.
      guard let start = bytes.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, copied) }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(handle, index, $0, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
      }
    }
  }
}

extension [UInt8]: StoredCell {
  var value: DatabaseValue { Data(self).databaseValue }

  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), copied)
    }
  }
}

extension UUID: StoredCell {
  var value: DatabaseValue { withUnsafeBytes(of: uuid) { Data($0) }.databaseValue }

  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes(of: uuid) { sqlite3_bind_blob(handle, index, $0.baseAddress, CInt($0.count), copied) }
  }
}

extension Optional: StoredCell where Wrapped: StoredCell {
  var value: DatabaseValue { self?.value ?? .null }

  func bind(to handle: SQLiteStatement, at index: CInt) -> CInt { self?.bind(to: handle, at: index) ?? SQLITE_OK }
}

extension Cells {
  func optionalInt64(_ column: Int) throws -> Int64? {
    switch sqlite3_column_type(statement, CInt(column)) {
    case SQLITE_INTEGER: sqlite3_column_int64(statement, CInt(column))
    case SQLITE_NULL: nil
    default: throw Damage(what: "column \(column) is no number")
    }
  }

  func optionalString(_ column: Int) throws -> String? {
    switch sqlite3_column_type(statement, CInt(column)) {
    case SQLITE_TEXT: String(decoding: content(column), as: UTF8.self)
    case SQLITE_NULL: nil
    default: throw Damage(what: "column \(column) is no text")
    }
  }

  func bytes(_ column: Int) -> [UInt8] { Array(content(column)) }

  func optionalUUID(_ column: Int) throws -> UUID? {
    if sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL { return nil }
    let bytes = content(column)
    guard bytes.count == MemoryLayout<uuid_t>.size else { throw Damage(what: "an id of \(bytes.count) bytes") }
    return UUID(uuid: UnsafeRawBufferPointer(bytes).loadUnaligned(as: uuid_t.self))
  }

  /// The bytes of a text or a blob, valid until the next step.
  private func content(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(statement, CInt(column))
    let count = Int(sqlite3_column_bytes(statement, CInt(column)))
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
  }
}
