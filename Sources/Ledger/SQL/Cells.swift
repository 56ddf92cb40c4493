import Foundation
import JobModel

/// What a column of the ledger can hold.
protocol Cell {
  associatedtype Stored: StoredCell
  /// As SQLite stores it.
  var stored: Stored { get }
  /// - Throws: ``Damage``, when no version of Teller stores that: a file can be damaged.
  init(stored: Stored) throws
}

/// One row that a statement has found, column by column; it is valid until the next one.
struct Cells {
  /// Stands on the row.
  let statement: OpaquePointer
  /// Which column of a job the row begins with.
  private(set) var first = JobColumn.number

  init(_ statement: OpaquePointer) { self.statement = statement }

  /// The same of a row that begins with that column of a job.
  func from(_ first: JobColumn) -> Cells {
    var cells = self
    cells.first = first
    return cells
  }

  subscript<Value: Cell>(_ column: Int) -> Value {
    get throws { try Value(stored: Value.Stored(statement, column)) }
  }

  /// A column of a job, of a row that selects them one after the other: see ``JobColumn/selection(from:upTo:without:)``.
  subscript<Value: Cell>(_ column: JobColumn) -> Value {
    get throws { try self[column.rawValue - first.rawValue] }
  }
}

/// A value in the file that no version of Teller wrote.
struct Damage: Error {
  var what: String
}

extension Int64: Cell {
  var stored: Int64 { self }
  init(stored: Int64) { self = stored }
}

extension Int: Cell {
  var stored: Int64 { Int64(self) }
  init(stored: Int64) { self.init(stored) }
}

extension Bool: Cell {
  var stored: Int64 { self ? 1 : 0 }
  init(stored: Int64) { self = stored != 0 }
}

extension String: Cell {
  var stored: String { self }
  init(stored: String) { self = stored }
}

extension [UInt8]: Cell {
  var stored: [UInt8] { self }
  init(stored: [UInt8]) { self = stored }
}

extension UUID: Cell {
  var stored: UUID { self }
  init(stored: UUID) { self = stored }
}

extension Optional: Cell where Wrapped: Cell {
  var stored: Wrapped.Stored? { self?.stored }
  init(stored: Wrapped.Stored?) throws { self = try stored.map { try Wrapped(stored: $0) } }
}

extension JobID: Cell {
  var stored: UUID { uuid }
  init(stored: UUID) { self.init(stored) }
}

extension Timestamp: Cell {
  var stored: Int64 { milliseconds }
  init(stored: Int64) { self.init(milliseconds: stored) }
}

extension Standing: Cell {
  var stored: Int64 { value }
  init(stored: Int64) { self.init(value: stored) }
}

extension WorkerID: Cell {
  var stored: String { text }
  init(stored: String) { self.init(stored) }
}

extension JobKind: Cell {
  var stored: String { name }

  init(stored: String) throws {
    guard let kind = JobKind(stored) else { throw Damage(what: "a kind that is no name") }
    self = kind
  }
}

extension Department: Cell {
  var stored: String { name }

  init(stored: String) throws {
    guard let department = Department(stored) else { throw Damage(what: "a department that is no name") }
    self = department
  }
}

extension Priority: Cell {
  var stored: Int64 { Int64(level) }

  init(stored: Int64) throws {
    guard let priority = Priority(Int(stored)) else { throw Damage(what: "priority \(stored)") }
    self = priority
  }
}

extension JobState: Cell {
  var stored: Int64 { StateCode.code(of: self) }

  init(stored: Int64) throws {
    guard let state = StateCode.state(of: stored) else { throw Damage(what: "state \(stored)") }
    self = state
  }
}

extension Dependencies.Rule: Cell {
  var stored: Int64 { self == .cancel ? 1 : 0 }
  init(stored: Int64) { self = stored == 1 ? .cancel : .fail }
}

extension ReplyAddress.Wait: Cell {
  var stored: Int64 { self == .outcome ? 1 : 0 }
  init(stored: Int64) { self = stored == 1 ? .outcome : .accepted }
}
