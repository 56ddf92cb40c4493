package import JobModel

extension LedgerTransaction {
  /// The job is held for that reason from now on; nil: no longer. Of a job that is not held, or waits for a time or for
  /// other jobs, nothing is recorded.
  ///
  /// - Returns: Whether it was recorded.
  package func withhold(_ number: Int64, _ reason: Withheld?) throws -> Bool {
    try statements.run(
      """
      UPDATE job SET withheld = ?
      WHERE number = ? AND state = 0 AND not_before IS NULL AND open_dependencies = 0
      """, reason?.rawValue ?? 0, number) == 1
  }

  /// The jobs of a department, a kind and a priority that are held for that reason, by their standing.
  package func withheld(
    _ reason: Withheld, in department: Department, kind: JobKind, priority: Priority, limit: Int
  ) throws -> [WithheldJob] {
    try statements.all(
      """
      SELECT number, deaths, standing FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? AND kind = ? AND priority = ?
      ORDER BY standing, number LIMIT ?
      """, reason.rawValue, department, kind, priority, limit
    ) {
      WithheldJob(
        number: try $0[0], priority: priority, isSuspect: try $0[1] as Int >= Death.suspectDeaths,
        standing: try $0[2])
    }
  }

  /// The kinds of a department's jobs that are held for that reason, by name.
  package func withheldKinds(_ reason: Withheld, in department: Department, limit: Int) throws -> [JobKind] {
    try statements.all(
      """
      SELECT DISTINCT kind FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? ORDER BY kind LIMIT ?
      """, reason.rawValue, department, limit)
  }

  /// How many jobs of each department are held for that reason.
  package func withheldCounts(_ reason: Withheld) throws -> [Department: Int] {
    let rows: [(department: Department, count: Int)] = try statements.all(
      """
      SELECT department, count(*) FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? GROUP BY department
      """, reason.rawValue
    ) { (try $0[0], try $0[1]) }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.department, $0.count) })
  }
}

extension LedgerTransaction {
  /// The queues beside those of departments that exist, or may.
  package func kindQueues() throws -> [JobQueue] {
    try statements.all("SELECT department, kind FROM kind_queue ORDER BY department, kind") {
      JobQueue(try $0[0], kind: try $0[1])
    }
  }

  /// A queue beside its department's is about to be made; one that is known is no error.
  package func addKindQueue(_ queue: JobQueue) throws {
    try statements.run(
      "INSERT INTO kind_queue (department, kind) VALUES (?, ?) ON CONFLICT DO NOTHING",
      queue.department, queue.kind)
  }

  /// A queue is removed; one that is not known is no error.
  package func removeKindQueue(_ queue: JobQueue) throws {
    try statements.run(
      "DELETE FROM kind_queue WHERE department = ? AND kind = ?", queue.department, queue.kind)
  }
}

/// A held job, as far as it takes to find out whether it can be released.
package struct WithheldJob: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority
  /// Whether it may have ended workers, and has to wait for its turn too.
  package var isSuspect: Bool
  package var standing: Standing

  package init(number: Int64, priority: Priority, isSuspect: Bool = false, standing: Standing) {
    self.number = number
    self.priority = priority
    self.isSuspect = isSuspect
    self.standing = standing
  }
}

extension LedgerQueries {
  /// How many jobs of these departments are held for that reason, by kind; the first kinds by department and name.
  package func withheldCounts(
    _ reason: Withheld, in departments: [Department], limit: Int
  ) throws -> [JobQueue: Int] {
    var counts: [JobQueue: Int] = [:]
    for department in departments where counts.count < limit {
      let rows: [(kind: JobKind, count: Int)] = try statements.all(
        """
        SELECT kind, count(*) FROM job INDEXED BY job_withheld
        WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? GROUP BY kind ORDER BY kind LIMIT ?
        """, reason.rawValue, department, limit - counts.count
      ) { (try $0[0], try $0[1]) }
      for row in rows { counts[JobQueue(department, kind: row.kind)] = row.count }
    }
    return counts
  }
}
