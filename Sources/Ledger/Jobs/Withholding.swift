package import JobModel

extension LedgerTransaction {
  /// Records why a job is withheld from now on; nil: it is not withheld any more.
  ///
  /// - Returns: Whether it was recorded. It was not if the job is not held, or waits for a time or for other jobs.
  package func withhold(_ number: Int64, _ reason: Withheld?) throws -> Bool {
    try statements.run(
      """
      UPDATE job SET withheld = ?
      WHERE number = ? AND state = 0 AND not_before IS NULL AND open_dependencies = 0
      """, reason?.rawValue ?? 0, number) == 1
  }

  /// The jobs of a department, a kind and a priority that are withheld for that reason, by their standing.
  package func withheld(
    _ reason: Withheld, in department: Department, kind: JobKind, priority: Priority, limit: Int
  ) throws -> [Candidate] {
    try statements.all(
      """
      SELECT number, deaths, standing FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? AND kind = ? AND priority = ?
      ORDER BY standing, number LIMIT ?
      """, reason.rawValue, department, kind, priority, limit
    ) {
      Candidate(
        number: try $0[0], priority: priority, standing: try $0[2],
        isSuspect: try $0[1] as Int >= Death.suspectDeaths)
    }
  }

  /// How many jobs of each department are withheld for that reason.
  package func withheldCounts(_ reason: Withheld) throws -> [Department: Int] {
    try statements.dictionary(
      """
      SELECT department, count(*) FROM job INDEXED BY job_withheld
      WHERE state = 0 AND withheld > 0 AND withheld = ? GROUP BY department
      """, reason.rawValue)
  }

  /// The first job in a department's line of suspects, with all that it carries: of the suspects that were running at
  /// the fewest deaths the one whose place is first. Nil: no suspect waits.
  package func nextSuspect(of department: Department) throws -> HeldJob? {
    let number: Int64? = try statements.first(
      """
      SELECT number FROM job INDEXED BY job_suspect
      WHERE state = 0 AND withheld = 2 AND department = ? ORDER BY deaths, standing, number LIMIT 1
      """, department)
    return try number.flatMap { try held($0) }
  }
}

extension LedgerQueries {
  /// How many jobs of these departments are withheld for that reason, by kind. At most `limit` kinds, the first by
  /// department and name.
  package func withheldCounts(
    _ reason: Withheld, in departments: [Department], limit: Int
  ) throws -> [JobQueue: Int] {
    var counts: [JobQueue: Int] = [:]
    for department in departments where counts.count < limit {
      try statements.each(
        """
        SELECT kind, count(*) FROM job INDEXED BY job_withheld
        WHERE state = 0 AND withheld > 0 AND withheld = ? AND department = ? GROUP BY kind ORDER BY kind LIMIT ?
        """, reason.rawValue, department, limit - counts.count
      ) { counts[JobQueue(department, kind: try $0[0])] = try $0[1] }
    }
    return counts
  }
}
