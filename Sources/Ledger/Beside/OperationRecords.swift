package import Foundation
package import JobModel

/// A command about so many jobs that it is carried out in steps.
package struct OperationRecord: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable, CaseIterable {
    case cancel, replay, drop, reset
    case resetKeys = "reset_keys"
    case acceptRestored = "accept_restored"
    case dropRestored = "drop_restored"
  }

  package var id: Int64
  package var action: Action
  /// Nil: any.
  package var department: Department?
  /// Nil: any.
  package var kind: JobKind?
  /// What else the jobs have in common, by the wall clock.
  package var narrowing = JobNarrowing()
  /// Of a reset of keys: the one key; nil: all of the kind.
  package var key: String?
  /// Who gave the command, as far as that is recorded.
  package var author = CommandAuthor()
  /// The last acceptance number that it is about.
  package var upTo: Int64
  /// The acceptance number up to which it has come.
  package var position: Int64
  package var changed: Int
  package var looked: Int
  /// How many it was to look at, when it was given.
  package var total: Int
  package var startedAt: Timestamp
  /// Nil while it goes on.
  package var finishedAt: Timestamp?
}

extension LedgerTransaction {
  /// Begins an operation about the jobs that have been accepted up to now. No other may have the id of its
  /// command.
  package func addOperation(
    _ action: OperationRecord.Action, department: Department?, kind: JobKind?,
    narrowing: JobNarrowing = JobNarrowing(), key: String? = nil, total: Int,
    by author: CommandAuthor = CommandAuthor(), at time: Timestamp, command: UUID? = nil
  ) throws -> OperationRecord {
    let last = try lastNumber()
    let id: Int64? = try statements.first(
      """
      INSERT INTO operation (action, department, kind, up_to, total, started_at, command, key, filter)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      RETURNING id
      """, action, department, kind, last, total, time, command, key, narrowing.isEmpty ? nil : narrowing)
    return OperationRecord(
      id: try known(id, "an operation without an id"), action: action, department: department, kind: kind,
      narrowing: narrowing, key: key, author: author, upTo: last, position: 0, changed: 0, looked: 0, total: total,
      startedAt: time,
      finishedAt: nil)
  }

  /// The operations that go on, in the order in which they were given.
  package func openOperations(limit: Int) throws -> [OperationRecord] {
    try operations("WHERE finished_at IS NULL ORDER BY id LIMIT ?", limit)
  }

  /// Records how far an operation has come.
  package func saveOperation(_ operation: OperationRecord) throws {
    let changed = try statements.run(
      "UPDATE operation SET position = ?, changed = ?, looked = ?, finished_at = ? WHERE id = ?",
      operation.position, operation.changed, operation.looked, operation.finishedAt, operation.id)
    guard changed == 1 else { throw LedgerError.failed("operation \(operation.id) is not in the ledger") }
  }

  /// The operation that a command began when it came before; nil when it has not, or so long ago that it is removed.
  package func operation(begunBy command: UUID) throws -> OperationRecord? {
    try operations("WHERE command = ?", command).first
  }

  /// Removes operations that ended before `time`, at most `limit`; their ids are not given again. Removes as many of
  /// the commands that gave keys back before `time`, of the resets of keys, and of the commands that stopped plans.
  func removeOperations(finishedBefore time: Timestamp, limit: Int) throws {
    try statements.run(
      """
      DELETE FROM operation WHERE id IN (
        SELECT id FROM operation WHERE finished_at < ? ORDER BY finished_at, id LIMIT ?)
      """, time, limit)
    try statements.run(
      "DELETE FROM key_command WHERE id IN (SELECT id FROM key_command WHERE at < ? ORDER BY at, id LIMIT ?)",
      time, limit)
    try removeActions(before: time, limit: limit)
    try removeKeyResets(before: time, limit: limit)
    try removePlanCommands(before: time, limit: limit)
  }
}

extension LedgerReading {
  /// The operation of that id; nil when there is none, or it ended so long ago that it is removed.
  package func operation(_ id: Int64) throws -> OperationRecord? { try operations("WHERE id = ?", id).first }

  fileprivate func operations<Value: Cell>(_ condition: String, _ value: Value) throws -> [OperationRecord] {
    try statements.all(
      """
      SELECT id, action, department, kind, up_to, position, changed, looked, total, started_at, finished_at, key,
        filter,
        (SELECT by_name FROM action WHERE action.operation = operation.id),
        (SELECT user FROM action WHERE action.operation = operation.id)
      FROM operation \(condition)
      """, value
    ) { row in
      OperationRecord(
        id: try row[0], action: try row[1], department: try row[2], kind: try row[3],
        narrowing: try row[12] as JobNarrowing? ?? JobNarrowing(), key: try row[11],
        author: CommandAuthor(by: try row[13], user: try row[14]), upTo: try row[4], position: try row[5],
        changed: try row[6], looked: try row[7], total: try row[8], startedAt: try row[9],
        finishedAt: try row[10])
    }
  }
}

extension JobNarrowing: Cell {
  var stored: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }

  init(stored: String) throws {
    let filter = try? JSONDecoder().decode(JobNarrowing.self, from: Data(stored.utf8))
    self = try known(filter, "filter \(stored)")
  }
}

extension OperationRecord.Action: Cell {
  var stored: String { rawValue }

  init(stored: String) throws { self = try known(OperationRecord.Action(rawValue: stored), "operation \(stored)") }
}
