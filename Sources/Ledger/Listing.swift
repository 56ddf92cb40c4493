import GRDB
package import JobModel

extension LedgerQueries {
  /// The newest jobs that pass the filter, newest first. A succeeded job comes without what its handler returned, as if
  /// that were empty; ``job(_:)`` has it.
  ///
  /// A filter by kind alone may look at every job of the ledger.
  package func jobs(_ filter: JobFilter) throws -> [Job] {
    guard filter.limit > 0, filter.states?.isEmpty != true else { return [] }
    let search = Search(filter)
    return try statements.all(search.sql, search.values) { try JobRow.job($0) }
  }
}

/// A filter as SQL. Each state is a branch of its own, because the condition of its index must stand there word by word.
private struct Search {
  private(set) var sql: String
  private(set) var values: [DatabaseValue] = []

  init(_ filter: JobFilter) {
    let conditions: [String] =
      if let states = filter.states {
        Set(states.map { StateCode.code(of: $0) }).sorted().map { "state = \($0)" }
      } else {
        [""]
      }
    let limit = min(filter.limit, JobFilter.largestPage)
    sql = ""
    let branches = conditions.map { branch(filter, $0, limit) }
    sql = """
      SELECT \(JobRow.columnsWithoutResult) FROM job
      WHERE number IN (\(branches.joined(separator: " UNION ALL "))) ORDER BY number DESC LIMIT \(limit)
      """
  }

  private mutating func branch(_ filter: JobFilter, _ state: String, _ limit: Int) -> String {
    var conditions = state.isEmpty ? [] : [state]
    func add(_ condition: String, _ value: DatabaseValue) {
      conditions.append(condition)
      values.append(value)
    }
    if let department = filter.department { add("department = ?", department.cell) }
    if let kind = filter.kind { add("kind = ?", kind.cell) }
    if let before = filter.before { add("number < ?", before.cell) }
    let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return "SELECT number FROM (SELECT number FROM job \(condition) ORDER BY number DESC LIMIT \(limit))"
  }
}
