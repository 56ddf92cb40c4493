package import JobModel

// How many jobs there are. Nil means any department, any kind. Every number is exact: it is counted in an index, and no row
// of a job is read.
extension LedgerReading {
  /// How many jobs are held.
  package func heldCount(department: Department? = nil, kind: JobKind? = nil) throws -> Int {
    try statements.count(on: .held, Shelf.Group(department: department, kind: kind))
  }

  /// How many jobs failed and nobody has looked after them.
  package func failedCount(department: Department? = nil, kind: JobKind? = nil) throws -> Int {
    try statements.count(on: .unsettled, Shelf.Group(department: department, kind: kind))
  }

  /// How many plans have not ended.
  package func openPlanCount(department: Department? = nil) throws -> Int {
    guard let department else { return try statements.first(Self.openPlans) ?? 0 }
    return try statements.first(Self.openPlans + " AND department = ?", department) ?? 0
  }

  static var openPlans: String { "SELECT count(*) FROM plan INDEXED BY plan_open WHERE state IS NULL" }
}
