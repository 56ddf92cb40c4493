import GRDB

/// What one turn of a coordinator wrote. A copy of its ledger to which the change sets of all later turns are applied,
/// one after the other, has the same rows.
///
/// It has the statements themselves, not the rows that they changed. So each statement must do the same on both files: it
/// reads no clock and no random number of SQLite's, and a `LIMIT` stands behind an order that leaves nothing open.
package struct ChangeSet: Hashable, Sendable {
  /// A statement that changed something.
  package struct Write: Hashable, Sendable {
    package var sql: String
    /// By the numbers of the statement's parameters, from 1; those that it does not have are null.
    package var values: [StoredValue]

    package init(sql: String, values: [StoredValue]) {
      self.sql = sql
      self.values = values
    }
  }

  /// Grows by one with each turn that is recorded, from 1, and by one for all between that were not: a copy that lacks
  /// what those wrote finds that a turn is missing.
  package var turn: Int64
  /// In the order in which they were made.
  package var writes: [Write]

  package init(turn: Int64, writes: [Write]) {
    self.turn = turn
    self.writes = writes
  }
}

/// Gets what a transaction writes.
final class Recorder {
  private(set) var writes: [ChangeSet.Write] = []
  private var values: [StoredValue] = []

  /// A statement has its values.
  func begin(_ values: [StoredValue]) { self.values = values }

  /// It has been run, and has changed something.
  func end(_ sql: String) { writes.append(ChangeSet.Write(sql: sql, values: values)) }
}

extension ChangeSet {
  /// Makes the changes in another file.
  ///
  /// - Returns: Whether they were made now; false: that file has the turn.
  func apply(to statements: Statements) throws -> Bool {
    let last = try ChangeSet.lastTurn(statements)
    guard turn > last else { return false }
    guard turn == last + 1 else {
      throw LedgerError.failed("turn \(turn) cannot be applied to a ledger of \(last) turns: there are others between")
    }
    for write in writes {
      let changed = try statements[write.sql].run { $0.add(write.values) }
      guard changed > 0 else { throw LedgerError.failed("turn \(turn) is not of this ledger's other copy") }
    }
    guard try ChangeSet.lastTurn(statements) == turn else {
      throw LedgerError.failed("turn \(turn) does not say that it is one")
    }
    return true
  }

  private static func lastTurn(_ statements: Statements) throws -> Int64 {
    try statements.first("SELECT turn FROM ledger") ?? 0
  }
}
