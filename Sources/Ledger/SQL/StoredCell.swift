import Foundation
import GRDBSQLite

/// A value of a type that SQLite itself has.
protocol StoredCell {
  var value: StoredValue { get }
  /// Gives a parameter, which is null until then, a copy of the value. Returns SQLite's code.
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt
  /// Reads the value from the row on which the statement stands.
  init(_ statement: OpaquePointer, _ column: Int) throws
}

/// A value of any type that SQLite has, where the type is not known when the program is compiled.
package enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

extension Cell {
  var value: StoredValue { stored.value }
}

/// `SQLITE_TRANSIENT`, a macro that Swift does not see: SQLite copies the bytes before its function returns.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: StoredCell {
  var value: StoredValue { .integer(self) }

  func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self) }

  init(_ statement: OpaquePointer, _ column: Int) throws {
    try check(statement, column, SQLITE_INTEGER, "number")
    self = sqlite3_column_int64(statement, CInt(column))
  }
}

extension String: StoredCell {
  var value: StoredValue { .text(self) }

  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    var text = self
    return text.withUTF8 { bytes in
      // No pointer would mean null.
      guard let start = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, copied) }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(statement, index, $0, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
      }
    }
  }

  init(_ statement: OpaquePointer, _ column: Int) throws {
    try check(statement, column, SQLITE_TEXT, "text")
    self.init(decoding: content(statement, column), as: UTF8.self)
  }
}

extension [UInt8]: StoredCell {
  var value: StoredValue { .blob(self) }

  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
      return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), copied)
    }
  }

  init(_ statement: OpaquePointer, _ column: Int) throws {
    try check(statement, column, SQLITE_BLOB, "blob")
    self.init(content(statement, column))
  }
}

extension UUID: StoredCell {
  var value: StoredValue { withUnsafeBytes(of: uuid) { .blob(Array($0)) } }

  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes(of: uuid) { sqlite3_bind_blob(statement, index, $0.baseAddress, CInt($0.count), copied) }
  }

  init(_ statement: OpaquePointer, _ column: Int) throws {
    try check(statement, column, SQLITE_BLOB, "id")
    try self.init(UnsafeRawBufferPointer(content(statement, column)))
  }

  init(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count == MemoryLayout<uuid_t>.size else { throw Damage(what: "an id of \(bytes.count) bytes") }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}

extension Optional: StoredCell where Wrapped: StoredCell {
  var value: StoredValue { self?.value ?? .null }

  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    self?.bind(to: statement, at: index) ?? SQLITE_OK
  }

  init(_ statement: OpaquePointer, _ column: Int) throws {
    self = sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL ? nil : try Wrapped(statement, column)
  }
}

extension StoredValue {
  /// As ``StoredCell/bind(to:at:)``.
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    switch self {
    case .null: SQLITE_OK
    case .integer(let number): number.bind(to: statement, at: index)
    case .text(let text): text.bind(to: statement, at: index)
    case .blob(let bytes): bytes.bind(to: statement, at: index)
    }
  }
}

private func check(_ statement: OpaquePointer, _ column: Int, _ type: CInt, _ name: String) throws {
  let found = sqlite3_column_type(statement, CInt(column))
  guard found != type else { return }
  throw Damage(what: found == SQLITE_NULL ? "column \(column) is empty" : "column \(column) is no \(name)")
}

/// The bytes of a text or a blob, valid until the next step.
private func content(_ statement: OpaquePointer, _ column: Int) -> UnsafeBufferPointer<UInt8> {
  let start = sqlite3_column_blob(statement, CInt(column))
  let count = Int(sqlite3_column_bytes(statement, CInt(column)))
  return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
}
