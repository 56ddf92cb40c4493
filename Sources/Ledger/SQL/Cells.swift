import Foundation
import GRDBSQLite
import JobModel

/// What a column of the ledger can hold.
protocol Cell {
  associatedtype Stored: StoredCell
  /// As SQLite stores it.
  var stored: Stored { get }
}

extension Bool: Cell { var stored: Int64 { self ? 1 : 0 } }
extension Int: Cell { var stored: Int64 { Int64(self) } }
extension Int64: Cell { var stored: Int64 { self } }
extension String: Cell { var stored: String { self } }
extension [UInt8]: Cell { var stored: [UInt8] { self } }
extension Timestamp: Cell { var stored: Int64 { milliseconds } }
extension JobKind: Cell { var stored: String { name } }
extension Department: Cell { var stored: String { name } }
extension Priority: Cell { var stored: Int64 { Int64(level) } }
extension WorkerID: Cell { var stored: String { text } }
extension Standing: Cell { var stored: Int64 { value } }
extension JobState: Cell { var stored: Int64 { StateCode.code(of: self) } }
extension JobID: Cell { var stored: UUID { uuid } }
extension UUID: Cell { var stored: UUID { self } }
extension Dependencies.Rule: Cell { var stored: Int64 { self == .cancel ? 1 : 0 } }
extension ReplyAddress.Wait: Cell { var stored: Int64 { self == .outcome ? 1 : 0 } }
extension Optional: Cell where Wrapped: Cell { var stored: Wrapped.Stored? { self?.stored } }

/// What a row of the ledger holds, column by column. A value that no version of Teller wrote is an error, not a trap:
/// a file can be damaged.
struct Cells {
  /// Stands on the row.
  let statement: OpaquePointer

  func int64(_ column: Int) throws -> Int64 { try required(optionalInt64(column), column) }
  func int(_ column: Int) throws -> Int { Int(try int64(column)) }
  func optionalInt(_ column: Int) throws -> Int? { try optionalInt64(column).map(Int.init) }
  func string(_ column: Int) throws -> String { try required(optionalString(column), column) }
  func time(_ column: Int) throws -> Timestamp { Timestamp(milliseconds: try int64(column)) }
  func optionalTime(_ column: Int) throws -> Timestamp? {
    try optionalInt64(column).map(Timestamp.init(milliseconds:))
  }
  func optionalWorker(_ column: Int) throws -> WorkerID? { try optionalString(column).map { WorkerID($0) } }

  private func required<T>(_ value: T?, _ column: Int) throws -> T {
    guard let value else { throw Damage(what: "column \(column) is empty") }
    return value
  }

  func jobID(_ column: Int) throws -> JobID {
    guard let id = try optionalJobID(column) else { throw Damage(what: "a job without an id") }
    return id
  }

  func optionalJobID(_ column: Int) throws -> JobID? { try optionalUUID(column).map { JobID($0) } }

  func kind(_ column: Int) throws -> JobKind {
    guard let kind = try JobKind(string(column)) else { throw Damage(what: "a kind that is no name") }
    return kind
  }

  func department(_ column: Int) throws -> Department {
    guard let department = try Department(string(column)) else { throw Damage(what: "a department that is no name") }
    return department
  }

  func optionalKind(_ column: Int) throws -> JobKind? { try optionalString(column) == nil ? nil : kind(column) }

  func optionalDepartment(_ column: Int) throws -> Department? {
    try optionalString(column) == nil ? nil : department(column)
  }

  func priority(_ column: Int) throws -> Priority {
    let level = try int(column)
    guard let priority = Priority(level) else { throw Damage(what: "priority \(level)") }
    return priority
  }

  func rule(_ column: Int) throws -> Dependencies.Rule { try int(column) == 1 ? .cancel : .fail }

  func state(_ column: Int) throws -> JobState {
    let code = try int64(column)
    guard let state = StateCode.state(of: code) else { throw Damage(what: "state \(code)") }
    return state
  }

  func withheld(_ column: Int) throws -> Withheld? {
    let code = try int(column)
    guard code != 0 else { return nil }
    guard let withheld = Withheld(rawValue: code) else { throw Damage(what: "withheld \(code)") }
    return withheld
  }

  /// Code and message, in this order; nil when there is no code.
  func failure(_ column: Int) throws -> JobFailure? {
    guard let code = try optionalString(column) else { return nil }
    return JobFailure(code: code, message: try optionalString(column + 1) ?? "")
  }

  /// What became of a failed job, and which job it is submitted again as, in this order; nil when nothing has.
  func settlement(_ column: Int) throws -> Settlement? {
    switch (try optionalInt(column), try optionalJobID(column + 1)) {
    case (nil, _): return nil
    case (SettlementCode.replayed, let replay?): return .replayed(replay)
    case (SettlementCode.dropped, nil): return .dropped
    case (let code?, _): throw Damage(what: "settlement \(code)")
    }
  }

  /// Queue, correlation id and wait, in this order; nil when there is no queue.
  func reply(_ column: Int) throws -> ReplyAddress? {
    guard let replyTo = try optionalString(column) else { return nil }
    let wait: ReplyAddress.Wait = try optionalInt(column + 2) == 1 ? .outcome : .accepted
    return ReplyAddress(replyTo: replyTo, correlationID: try optionalString(column + 1), wait: wait)
  }
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

/// A value in the file that no version of Teller wrote.
struct Damage: Error {
  var what: String
}
