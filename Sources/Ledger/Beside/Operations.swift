package import Foundation
import GRDB
package import JobModel

extension LedgerTransaction {
  /// Begins an operation about the jobs that have been accepted up to now. No other may have the id of its
  /// command.
  package func addOperation(
    _ action: OperationRecord.Action, department: Department?, kind: JobKind?, total: Int, at time: Timestamp,
    command: UUID? = nil
  ) throws -> OperationRecord {
    let last = try lastNumber()
    let id: Int64? = try statements.first(
      """
      INSERT INTO operation (action, department, kind, up_to, total, started_at, command)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      RETURNING id
      """, action.rawValue, department, kind, last, total, time, command)
    guard let id else { throw Damage(what: "an operation without an id") }
    return OperationRecord(
      id: id, action: action, department: department, kind: kind, upTo: last, position: 0, changed: 0, looked: 0,
      total: total, startedAt: time, finishedAt: nil)
  }

  /// The operations that go on, in the order in which they were given.
  package func openOperations(limit: Int) throws -> [OperationRecord] {
    try statements.operations("WHERE finished_at IS NULL ORDER BY id LIMIT ?", limit)
  }

  /// Records how far an operation has come.
  package func saveOperation(_ operation: OperationRecord) throws {
    let changed = try statements.run(
      "UPDATE operation SET position = ?, changed = ?, looked = ?, finished_at = ? WHERE id = ?",
      operation.position, operation.changed, operation.looked, operation.finishedAt,
      operation.id)
    guard changed == 1 else { throw LedgerError.failed("operation \(operation.id) is not in the ledger") }
  }

  /// The operation that a command began when it came before; nil when it has not, or so long ago that it is removed.
  package func operation(begunBy command: UUID) throws -> OperationRecord? {
    try statements.operations("WHERE command = ?", command).first
  }

  /// The operation of that id.
  package func operation(_ id: Int64) throws -> OperationRecord? {
    try statements.operations("WHERE id = ?", id).first
  }

  /// Removes operations that ended before `time`, at most `limit`. Their ids are not given again. The same of
  /// commands that gave keys back.
  func removeOperations(finishedBefore time: Timestamp, limit: Int) throws {
    try statements.run(
      """
      DELETE FROM operation WHERE id IN (
        SELECT id FROM operation WHERE finished_at < ? ORDER BY finished_at, id LIMIT ?)
      """, time, limit)
    try statements.run(
      "DELETE FROM key_command WHERE id IN (SELECT id FROM key_command WHERE at < ? ORDER BY at, id LIMIT ?)",
      time, limit)
  }
}

extension LedgerQueries {
  /// The operation of that id.
  package func operation(_ id: Int64) throws -> OperationRecord? {
    try statements.operations("WHERE id = ?", id).first
  }
}

extension Statements {
  fileprivate func operations<each Value: Cell>(_ condition: String, _ values: repeat each Value) throws
    -> [OperationRecord]
  {
    try all(
      """
      SELECT id, action, department, kind, up_to, position, changed, looked, total, started_at, finished_at
      FROM operation \(condition)
      """, repeat each values
    ) { cells in
      let action: String = try cells[1]
      guard let action = OperationRecord.Action(rawValue: action) else { throw Damage(what: "operation \(action)") }
      return OperationRecord(
        id: try cells[0], action: action, department: try cells[2],
        kind: try cells[3], upTo: try cells[4], position: try cells[5],
        changed: try cells[6], looked: try cells[7], total: try cells[8],
        startedAt: try cells[9], finishedAt: try cells[10])
    }
  }
}
