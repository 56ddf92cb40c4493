/// What one turn of a coordinator has written. Take a copy of its ledger and apply the change sets of all later turns,
/// one after the other: then the copy has the same rows.
///
/// A change set has statements, not the rows that these changed. So each statement must do the same in both files: it
/// does not ask SQLite for the time or for a random number, and where it has a `LIMIT`, it has an order in which no two
/// rows are equal.
package struct ChangeSet: Hashable, Sendable {
  /// A statement that changed something.
  package struct Write: Hashable, Sendable {
    package var sql: String
    /// The values of the statement's parameters, from `?1`. A number that the statement does not use has null.
    package var values: [StoredValue]
  }

  /// Grows by one with each turn that changes the ledger, also with one whose change set nobody asked for: so a copy
  /// notices that it lacks a turn.
  package var turn: Int64
  /// In the order in which they ran.
  package var writes: [Write]
}

/// Collects what a transaction writes.
final class Recorder {
  private(set) var writes: [ChangeSet.Write] = []
  private var values: [StoredValue] = []

  /// The values of the statement that runs now.
  func begin(_ values: [StoredValue]) { self.values = values }

  /// That statement has run, and has changed something.
  func end(_ sql: String) { writes.append(ChangeSet.Write(sql: sql, values: values)) }
}

extension ChangeSet {
  /// Makes the changes in another file: see ``Ledger/apply(_:)``.
  func apply(to statements: Statements) throws -> Bool {
    let last = try ChangeSet.lastTurn(statements)
    guard turn > last else { return false }
    guard turn == last + 1 else {
      throw LedgerError.failed("turn \(turn) cannot follow turn \(last): the ledger lacks a turn between them")
    }
    for write in writes {
      let changed = try statements[write.sql].run { $0.add(write.values) }
      guard changed > 0 else { throw LedgerError.failed("turn \(turn) changed a row that this ledger does not have") }
    }
    guard try ChangeSet.lastTurn(statements) == turn else {
      throw LedgerError.failed("turn \(turn) does not count itself")
    }
    return true
  }

  static func lastTurn(_ statements: Statements) throws -> Int64 {
    try statements.first("SELECT turn FROM ledger") ?? 0
  }
}
