import GRDBSQLite

/// Gives a statement's parameters their values. SQLite copies each value. A parameter without a value is null.
struct Bindings {
  private let statement: OpaquePointer
  private var last: CInt = 0
  /// The first error of SQLite.
  private(set) var code = SQLITE_OK
  /// One bit for each parameter that has its value, in a debug build.
  private var bound: UInt64 = 0
  /// The values of all parameters, from the first. Nil: nobody asked for them.
  private(set) var recorded: [StoredValue]?

  init(_ statement: OpaquePointer, isRecorded: Bool) {
    self.statement = statement
    if isRecorded {
      recorded = Array(repeating: .null, count: Int(sqlite3_bind_parameter_count(statement)))
    }
  }

  /// The value of the next parameter: `?`.
  mutating func add(_ value: some Cell) {
    last += 1
    bind(value, last)
  }

  /// The values of the next parameters.
  mutating func add(_ values: [StoredValue]) {
    for value in values {
      last += 1
      note(value.bind(to: statement, at: last), last)
      recorded?[Int(last) - 1] = value
    }
  }

  /// The value of a column: of the parameter ``JobColumn/parameter``.
  mutating func bind(_ column: JobColumn, _ value: some Cell) {
    bind(value, CInt(column.rawValue + 1))
  }

  private mutating func bind(_ value: some Cell, _ index: CInt) {
    note(value.stored.bind(to: statement, at: index), index)
    if recorded != nil { recorded?[Int(index) - 1] = value.value }
  }

  private mutating func note(_ result: CInt, _ index: CInt) {
    if code == SQLITE_OK { code = result }
    assert(isNoted(index))
  }

  private mutating func isNoted(_ index: CInt) -> Bool {
    bound |= 1 << UInt64(index)
    return true
  }

  /// Whether every parameter that has a number in the statement's text has its value.
  var isComplete: Bool {
    (1...max(1, sqlite3_bind_parameter_count(statement))).allSatisfy { index in
      bound & 1 << UInt64(index) != 0 || sqlite3_bind_parameter_name(statement, index) == nil
    }
  }
}
