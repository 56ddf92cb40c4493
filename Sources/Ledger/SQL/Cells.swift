import Foundation
import JobModel

/// A value that a column of the ledger can have.
protocol Cell {
  associatedtype Stored: StoredCell
  /// The value as SQLite stores it.
  var stored: Stored { get }
  /// - Throws: ``Damage`` when no version of Teller stores that value: a file can be damaged.
  init(stored: Stored) throws
}

/// One row of a statement. A column is read as the type that is asked for; the row is valid until the next one.
///
///     let id: JobID = try row[.id]
struct Cells {
  /// The statement, which stands on the row.
  let statement: OpaquePointer
  /// The column of a job with which the row begins.
  private(set) var first = JobColumn.number

  init(_ statement: OpaquePointer) { self.statement = statement }

  /// The same row, if it begins with that column of a job.
  func from(_ first: JobColumn) -> Cells {
    var cells = self
    cells.first = first
    return cells
  }

  subscript<Value: Cell>(_ column: Int) -> Value {
    get throws { try Value(stored: Value.Stored(statement, column)) }
  }

  /// A column of a job, of a row that ``JobColumn/selection(from:upTo:without:)`` selects.
  subscript<Value: Cell>(_ column: JobColumn) -> Value {
    get throws { try self[column.rawValue - first.rawValue] }
  }
}

/// A value in the file that no version of Teller wrote.
struct Damage: Error {
  var what: String
}

/// The value; what is said otherwise, as damage, if it is nil.
func known<Value>(_ value: Value?, _ otherwise: @autoclosure () -> String) throws(Damage) -> Value {
  guard let value else { throw Damage(what: otherwise()) }
  return value
}

extension Cell where Stored == Self {
  var stored: Self { self }
  init(stored: Self) { self = stored }
}

extension Int64: Cell {}
extension String: Cell {}
extension [UInt8]: Cell {}
extension UUID: Cell {}

extension Int: Cell {
  var stored: Int64 { Int64(self) }
  init(stored: Int64) { self.init(stored) }
}

extension Bool: Cell {
  var stored: Int64 { self ? 1 : 0 }
  init(stored: Int64) { self = stored != 0 }
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

extension AttemptRecord.End: Cell {
  var stored: String { rawValue }
  init(stored: String) { self.init(rawValue: stored) }
}

extension JobKind: Cell {
  var stored: String { name }
  init(stored: String) throws { self = try known(JobKind(stored), "a kind that is no name") }
}

extension Department: Cell {
  var stored: String { name }
  init(stored: String) throws { self = try known(Department(stored), "a department that is no name") }
}

extension Priority: Cell {
  var stored: Int64 { Int64(level) }
  init(stored: Int64) throws { self = try known(Priority(Int(stored)), "priority \(stored)") }
}

extension JobState: Cell {
  var stored: Int64 { StateCode.code(of: self) }
  init(stored: Int64) throws { self = try known(StateCode.state(of: stored), "state \(stored)") }
}

extension DependencyRule: Cell {
  var stored: Int64 { self == .cancel ? 1 : 0 }
  init(stored: Int64) { self = stored == 1 ? .cancel : .fail }
}

extension ReplyAddress.Wait: Cell {
  var stored: Int64 { self == .outcome ? 1 : 0 }
  init(stored: Int64) { self = stored == 1 ? .outcome : .accepted }
}
