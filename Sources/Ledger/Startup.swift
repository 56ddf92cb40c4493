package import JobModel

extension LedgerTransaction {
  /// A number that no earlier start of a coordinator had, from 1.
  package func nextIncarnation() throws -> Int {
    let number = try statements.first(
      "UPDATE ledger SET incarnation = incarnation + 1 RETURNING incarnation"
    ) { try $0.int(0) }
    guard let number else { throw Damage(what: "it does not say which ledger it is") }
    return number
  }

  /// Writes what is there already: it succeeds where anything else could be written.
  package func touch() throws {
    try statements.run("UPDATE ledger SET incarnation = incarnation")
  }

  /// Every queued job, in the order of their releases. As many as the windows of all departments at most.
  package func released() throws -> [ReleasedJob] {
    try statements.all(
      "SELECT \(JobRow.columns), confirmed FROM job WHERE state = 1 ORDER BY released_at, number"
    ) { ReleasedJob(job: try JobRow.job($0), isConfirmed: try $0.int(JobRow.width) == 1) }
  }

  /// How many jobs each department holds, per level of priority from 0.
  package func heldCounts() throws -> [Department: [Int]] {
    let rows = try statements.all(
      "SELECT department, priority, count(*) FROM job WHERE state = 0 GROUP BY department, priority"
    ) { (department: try $0.department(0), priority: try $0.priority(1), count: try $0.int(2)) }
    let none = [Int](repeating: 0, count: Priority.levels.count)
    return rows.reduce(into: [:]) { $0[$1.department, default: none][$1.priority.level] = $1.count }
  }

  /// How many jobs of each department are held and queued, and how many have ended since the ledger was made.
  package func counts() throws -> [Department: [JobState: Int]] {
    try recordEnded()
    let rows = try statements.all(
      """
      SELECT department, 0, count(*) FROM job WHERE state = 0 GROUP BY department
      UNION ALL SELECT department, 1, count(*) FROM job WHERE state = 1 GROUP BY department
      UNION ALL SELECT department, state, jobs FROM ended
      """
    ) { (department: try $0.department(0), state: try $0.state(1), count: try $0.int(2)) }
    return rows.reduce(into: [:]) { $0[$1.department, default: [:]][$1.state] = $1.count }
  }
}
