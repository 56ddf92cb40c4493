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

/// A filter as SQL. Each state is a branch of its own, because the condition of its index must stand there word by word;
/// and the index is named, because else SQLite walks through all jobs, newest first, for the few that failed.
struct Search {
  private(set) var sql: String
  private(set) var values: [DatabaseValue] = []

  init(_ filter: JobFilter) {
    let sources: [Source] =
      if let states = filter.states {
        Set(states.map { StateCode.code(of: $0) }).sorted().map(Source.init)
      } else {
        [Source()]
      }
    let limit = min(filter.limit, JobFilter.largestPage)
    sql = ""
    let branches = sources.map { branch(filter, $0, limit) }
    sql = """
      SELECT \(JobRow.columnsWithoutResult) FROM job
      WHERE number IN (\(branches.joined(separator: " UNION ALL "))) ORDER BY number DESC LIMIT \(limit)
      """
  }

  /// Where jobs of a state are looked for; those that succeeded are so many that any way through them is short.
  private struct Source {
    var index = ""
    var conditions: [String] = []

    init() {}

    init(state: Int64) {
      conditions = ["state = \(state)"]
      switch state {
      case StateCode.held: index = "INDEXED BY job_held"
      case StateCode.queued: index = "INDEXED BY job_queued"
      case StateCode.failed: index = "INDEXED BY job_failed"
      case StateCode.cancelled: index = "INDEXED BY job_cancelled"
      default: index = ""
      }
    }
  }

  private mutating func branch(_ filter: JobFilter, _ source: Source, _ limit: Int) -> String {
    var conditions = source.conditions
    func add(_ condition: String, _ value: DatabaseValue) {
      conditions.append(condition)
      values.append(value)
    }
    if let department = filter.department { add("department = ?", department.cell) }
    if let kind = filter.kind { add("kind = ?", kind.cell) }
    if let before = filter.before { add("number < ?", before.cell) }
    let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return
      "SELECT number FROM (SELECT number FROM job \(source.index) \(condition) ORDER BY number DESC LIMIT \(limit))"
  }
}
