import GRDB

/// The statements of one transaction, or of one read. Every statement of the ledger passes here, whether it reads or
/// writes. Each text is prepared once, and the connection keeps it.
///
///     try statements.run("UPDATE job SET confirmed = 0 WHERE number = ?", number)
package final class Statements {
  let database: Database
  private let isCancellable: Bool
  private let recorder: Recorder?
  /// Which hot statements are prepared, in the order of ``prepared``.
  private var hot: [ObjectIdentifier] = []
  private var prepared: [PreparedStatement] = []

  /// The statements of a connection within a transaction. With `isCancellable` a statement throws instead of beginning
  /// when the present task is cancelled. `recorder` gets everything that is written; nil: nobody asked for it.
  init(_ database: Database, isCancellable: Bool = false, recorder: Recorder? = nil) {
    self.database = database
    self.isCancellable = isCancellable
    self.recorder = recorder
  }

  subscript(_ sql: String) -> PreparedStatement {
    get throws {
      // A statement that has begun is interrupted by GRDB.
      if isCancellable { try Task.checkCancellation() }
      return PreparedStatement(try database.cachedStatement(sql: sql), recorder: recorder)
    }
  }

  /// A hot statement is looked up by its text once in a transaction, and then by its identity.
  subscript(_ text: HotStatement) -> PreparedStatement {
    get throws {
      let id = ObjectIdentifier(text)
      for index in hot.indices where hot[index] == id { return prepared[index] }
      let new = try self[text.sql]
      hot.append(id)
      prepared.append(new)
      return new
    }
  }
}

/// The text of a statement that runs for every job. Each is one constant.
final class HotStatement: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }
}

extension Statements {
  /// Runs a statement that returns no rows.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func run<each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> Int {
    try self[sql].run { bindings in repeat bindings.add(each values) }
  }

  /// Every row of a statement.
  func all<T, each Value: Cell>(
    _ sql: String, _ values: repeat each Value, decode: (Cells) throws -> T
  ) throws -> [T] {
    try self[sql].all({ bindings in repeat bindings.add(each values) }, decode)
  }

  /// The first row of a statement that has one row at most.
  func first<T, each Value: Cell>(
    _ sql: String, _ values: repeat each Value, decode: (Cells) throws -> T
  ) throws -> T? {
    try self[sql].first({ bindings in repeat bindings.add(each values) }, decode)
  }

  /// Hands over every row of a statement, one by one.
  func each<each Value: Cell>(
    _ sql: String, _ values: repeat each Value, body: (Cells) throws -> Void
  ) throws {
    try self[sql].each({ bindings in repeat bindings.add(each values) }) { row in
      try body(row)
      return true
    }
  }

  /// The first column of every row.
  func all<T: Cell, each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> [T] {
    try all(sql, repeat each values) { try $0[0] }
  }

  /// The first column of the first row.
  func first<T: Cell, each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> T? {
    try first(sql, repeat each values) { try $0[0] }
  }

  /// The second column of every row by the first one, which no two rows share.
  func dictionary<Key: Cell & Hashable, T: Cell, each Value: Cell>(
    _ sql: String, _ values: repeat each Value
  ) throws -> [Key: T] {
    var dictionary: [Key: T] = [:]
    try each(sql, repeat each values) { dictionary[try $0[0]] = try $0[1] as T }
    return dictionary
  }

  /// Whether a statement has a row.
  func hasRow<each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> Bool {
    try self[sql].first({ bindings in repeat bindings.add(each values) }) { _ in true } ?? false
  }
}
