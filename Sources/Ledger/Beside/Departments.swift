package import JobModel

extension LedgerTransaction {
  /// Pauses a department, or lets it go on.
  ///
  /// - Returns: Whether it was otherwise before.
  package func setPaused(_ department: Department, _ isPaused: Bool) throws -> Bool {
    let sql =
      isPaused
      ? "INSERT INTO department (name, paused) VALUES (?, 1) ON CONFLICT DO UPDATE SET paused = 1 WHERE paused = 0"
      : "UPDATE department SET paused = 0 WHERE name = ? AND paused = 1"
    return try statements.run(sql, department) == 1
  }

  /// Every department that is paused.
  package func pausedDepartments() throws -> Set<Department> {
    Set(try statements.all("SELECT name FROM department WHERE paused = 1"))
  }
}
