package import JobModel

extension LedgerTransaction {
  /// The job is held for that reason from now on; nil: no longer. Of a job that is not held, or waits for a time or for
  /// other jobs, nothing is recorded.
  ///
  /// - Returns: Whether it was recorded.
  @discardableResult
  package func withhold(_ number: Int64, _ reason: Withheld?) throws -> Bool {
    try statements.run(
      """
      UPDATE job SET withheld = ?
      WHERE number = ? AND state = 0 AND not_before IS NULL AND open_dependencies = 0
      """, [(reason?.rawValue ?? 0).cell, number.cell]) == 1
  }

  /// The jobs of a department and a kind that are held for that reason, first those that were accepted first.
  package func withheld(
    _ reason: Withheld, in department: Department, kind: JobKind, limit: Int
  ) throws -> [WithheldJob] {
    try statements.all(
      """
      SELECT number, priority FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? AND kind = ? ORDER BY number LIMIT ?
      """, [reason.rawValue.cell, department.cell, kind.cell, limit.cell]
    ) { WithheldJob(number: try $0.int64(0), priority: try $0.priority(1)) }
  }

  /// How many jobs are held for that reason, by department and kind.
  package func withheldCounts(_ reason: Withheld) throws -> [Department: [JobKind: Int]] {
    let rows = try statements.all(
      """
      SELECT department, kind, count(*) FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? GROUP BY department, kind
      """, [reason.rawValue.cell]
    ) { (department: try $0.department(0), kind: try $0.kind(1), count: try $0.int(2)) }
    return rows.reduce(into: [:]) { $0[$1.department, default: [:]][$1.kind] = $1.count }
  }
}

/// A held job, as far as it takes to make it ready.
package struct WithheldJob: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority

  package init(number: Int64, priority: Priority) {
    self.number = number
    self.priority = priority
  }
}
