import Foundation
import GRDBSQLite

/// What SQLite itself can store.
protocol StoredCell {
  var value: StoredValue { get }
  /// Binds a copy to a parameter that is null, and returns SQLite's code.
  func bind(to handle: OpaquePointer, at index: CInt) -> CInt
}

/// A value of any kind, as SQLite stores it: where the kind is not known before the program runs.
enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

extension Cell {
  var value: StoredValue { stored.value }
}

/// `SQLITE_TRANSIENT`, a macro that Swift does not see: SQLite copies the bytes before it returns.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: StoredCell {
  var value: StoredValue { .integer(self) }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(handle, index, self) }
}

extension String: StoredCell {
  var value: StoredValue { .text(self) }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt {
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
  var value: StoredValue { .blob(self) }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), copied)
    }
  }
}

extension UUID: StoredCell {
  var value: StoredValue { withUnsafeBytes(of: uuid) { .blob(Array($0)) } }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes(of: uuid) { sqlite3_bind_blob(handle, index, $0.baseAddress, CInt($0.count), copied) }
  }
}

extension Optional: StoredCell where Wrapped: StoredCell {
  var value: StoredValue { self?.value ?? .null }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt { self?.bind(to: handle, at: index) ?? SQLITE_OK }
}

extension StoredValue: StoredCell, Cell {
  var stored: StoredValue { self }
  var value: StoredValue { self }

  func bind(to handle: OpaquePointer, at index: CInt) -> CInt {
    switch self {
    case .null: SQLITE_OK
    case .integer(let number): number.bind(to: handle, at: index)
    case .text(let text): text.bind(to: handle, at: index)
    case .blob(let bytes): bytes.bind(to: handle, at: index)
    }
  }
}
