import GRDB

/// The statements of one transaction, or of one read: every one of the ledger, read or write, passes here. Each text is
/// prepared once and kept by the connection.
final class Statements {
  let database: Database
  private let isCancellable: Bool
  private let recorder: Recorder?
  /// Which hot statements are prepared, and they themselves.
  private var hot: [ObjectIdentifier] = []
  private var prepared: [PreparedStatement] = []

  /// - Parameters:
  ///   - database: The connection, within a transaction.
  ///   - isCancellable: Whether no statement begins any more once the present task is cancelled.
  ///   - recorder: Gets everything that is written; nil: nobody asked for it.
  init(_ database: Database, isCancellable: Bool = false, recorder: Recorder? = nil) {
    self.database = database
    self.isCancellable = isCancellable
    self.recorder = recorder
  }

  subscript(_ sql: String) -> PreparedStatement {
    get throws {
      // One that goes on is interrupted by GRDB.
      if isCancellable { try Task.checkCancellation() }
      return PreparedStatement(try database.cachedStatement(sql: sql), recorder: recorder)
    }
  }

  /// It is looked up by its text once, however many jobs there are.
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

/// The text of a statement that runs for every job of normal life.
final class HotStatement: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }
}

extension Statements {
  /// Runs a statement that returns nothing, and says how many rows it changed.
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

  /// The first column of every row.
  func all<T: Cell, each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> [T] {
    try all(sql, repeat each values) { try $0[0] }
  }

  /// The first column of the first row.
  func first<T: Cell, each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> T? {
    try first(sql, repeat each values) { try $0[0] }
  }

  /// Whether a statement has a row.
  func hasRow<each Value: Cell>(_ sql: String, _ values: repeat each Value) throws -> Bool {
    try self[sql].first({ bindings in repeat bindings.add(each values) }) { _ in true } ?? false
  }
}
