import GRDBSQLite

/// The values of a statement's parameters. Each is copied; what is not bound is null.
struct Bindings {
  private let statement: OpaquePointer
  private var last: CInt = 0
  /// One bit for each parameter that has its value.
  private var bound: UInt64 = 0
  /// The first error.
  private(set) var code = SQLITE_OK
  /// The values by their parameters, if anybody asked for them.
  private(set) var recorded: [StoredValue]?

  init(_ statement: OpaquePointer, isRecorded: Bool) {
    self.statement = statement
    recorded = isRecorded ? [] : nil
  }

  /// The value of the next parameter: `?`.
  mutating func add(_ value: some Cell) {
    last += 1
    bind(value, last)
  }

  /// The same of several.
  mutating func add(_ values: [StoredValue]) {
    for value in values {
      last += 1
      note(value.bind(to: statement, at: last), last)
      if recorded != nil { record(value, last) }
    }
  }

  /// The value of a column: of ``JobColumn/parameter``.
  mutating func bind(_ column: JobColumn, _ value: some Cell) {
    bind(value, CInt(column.rawValue + 1))
  }

  private mutating func bind(_ value: some Cell, _ index: CInt) {
    note(value.stored.bind(to: statement, at: index), index)
    if recorded != nil { record(value.value, index) }
  }

  private mutating func record(_ value: StoredValue, _ index: CInt) {
    let missing = Int(index) - (recorded?.count ?? 0)
    if missing > 0 { recorded?.append(contentsOf: repeatElement(.null, count: missing)) }
    recorded?[Int(index) - 1] = value
  }

  private mutating func note(_ result: CInt, _ index: CInt) {
    bound |= 1 << UInt64(index)
    if code == SQLITE_OK { code = result }
  }

  /// Whether every parameter with a number has its value.
  var isComplete: Bool {
    (0..<sqlite3_bind_parameter_count(statement)).allSatisfy { index in
      bound & 1 << UInt64(index + 1) != 0 || sqlite3_bind_parameter_name(statement, index + 1) == nil
    }
  }
}
