package import JobModel

extension LedgerTransaction {
  /// Records that a department is paused, or that it goes on.
  ///
  /// - Returns: Whether that is a change.
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

  /// The queues of kinds that exist, or perhaps exist.
  package func kindQueues() throws -> [JobQueue] {
    try statements.all("SELECT department, kind FROM kind_queue ORDER BY department, kind") {
      JobQueue(try $0[0], kind: try $0[1])
    }
  }

  /// Records that the queue of a kind is about to be made; a queue that is known is no error.
  package func addKindQueue(_ queue: JobQueue) throws {
    try statements.run(
      "INSERT INTO kind_queue (department, kind) VALUES (?, ?) ON CONFLICT DO NOTHING",
      queue.department, queue.kind)
  }

  /// Records that the queue of a kind was removed; a queue that is not known is no error.
  package func removeKindQueue(_ queue: JobQueue) throws {
    try statements.run(
      "DELETE FROM kind_queue WHERE department = ? AND kind = ?", queue.department, queue.kind)
  }
}
