import Foundation
import GRDB
import JobModel

/// What a column of the ledger can hold.
protocol Cell {
  var cell: DatabaseValue { get }
}

extension Int: Cell { var cell: DatabaseValue { databaseValue } }
extension Int64: Cell { var cell: DatabaseValue { databaseValue } }
extension String: Cell { var cell: DatabaseValue { databaseValue } }
extension [UInt8]: Cell { var cell: DatabaseValue { Data(self).databaseValue } }
extension Timestamp: Cell { var cell: DatabaseValue { milliseconds.databaseValue } }
extension JobKind: Cell { var cell: DatabaseValue { name.databaseValue } }
extension Department: Cell { var cell: DatabaseValue { name.databaseValue } }
extension Priority: Cell { var cell: DatabaseValue { level.databaseValue } }
extension WorkerID: Cell { var cell: DatabaseValue { text.databaseValue } }
extension Standing: Cell { var cell: DatabaseValue { value.databaseValue } }
extension JobState: Cell { var cell: DatabaseValue { StateCode.code(of: self).databaseValue } }
extension JobID: Cell {
  var cell: DatabaseValue { uuid.cell }
}
extension UUID: Cell {
  var cell: DatabaseValue { withUnsafeBytes(of: uuid) { Data($0) }.databaseValue }
}
extension Dependencies.Rule: Cell {
  var cell: DatabaseValue { (self == .cancel ? 1 : 0).databaseValue }
}
extension ReplyAddress.Wait: Cell {
  var cell: DatabaseValue { (self == .outcome ? 1 : 0).databaseValue }
}
extension Optional: Cell where Wrapped: Cell {
  var cell: DatabaseValue { self?.cell ?? .null }
}

/// What a row of the ledger holds, column by column. A value that no version of Teller wrote is an error, not a trap:
/// a file can be damaged.
struct Cells {
  let row: Row

  func int64(_ column: Int) throws -> Int64 { try required(optionalInt64(column), column) }
  func int(_ column: Int) throws -> Int { Int(try int64(column)) }
  func optionalInt(_ column: Int) throws -> Int? { try optionalInt64(column).map(Int.init) }
  func string(_ column: Int) throws -> String { try required(optionalString(column), column) }
  func time(_ column: Int) throws -> Timestamp { Timestamp(milliseconds: try int64(column)) }
  func optionalTime(_ column: Int) throws -> Timestamp? {
    try optionalInt64(column).map(Timestamp.init(milliseconds:))
  }
  func optionalWorker(_ column: Int) throws -> WorkerID? { try optionalString(column).map { WorkerID($0) } }

  func optionalInt64(_ column: Int) throws -> Int64? {
    switch (row[column] as DatabaseValue).storage {
    case .int64(let value): value
    case .null: nil
    default: throw Damage(what: "column \(column) is no number")
    }
  }

  func optionalString(_ column: Int) throws -> String? {
    switch (row[column] as DatabaseValue).storage {
    case .string(let value): value
    case .null: nil
    default: throw Damage(what: "column \(column) is no text")
    }
  }

  private func required<T>(_ value: T?, _ column: Int) throws -> T {
    guard let value else { throw Damage(what: "column \(column) is empty") }
    return value
  }

  func bytes(_ column: Int) throws -> [UInt8] {
    try row.withUnsafeData(atIndex: column) { $0.map { Array($0) } ?? [] }
  }

  func jobID(_ column: Int) throws -> JobID {
    guard let id = try optionalJobID(column) else { throw Damage(what: "a job without an id") }
    return id
  }

  func optionalJobID(_ column: Int) throws -> JobID? {
    try row.withUnsafeData(atIndex: column) { data in
      guard let data else { return nil }
      guard data.count == MemoryLayout<uuid_t>.size else { throw Damage(what: "an id of \(data.count) bytes") }
      return JobID(UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    }
  }

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

/// A value in the file that no version of Teller wrote.
struct Damage: Error {
  var what: String
}
