package import JobModel

/// The jobs of an ordered department that may run beside each other: those of one rank in one plan.
extension LedgerTransaction {
  /// The group that comes next in a department, also if all of its jobs have to wait; nil: the department holds no job.
  package func firstGroup(of department: Department) throws -> OrderGroup? {
    try statements.first(
      """
      SELECT order_plan, order_rank FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? ORDER BY order_plan, order_rank LIMIT 1
      """, department
    ) { OrderGroup(plan: try $0[0], rank: try $0[1]) }
  }

  /// The jobs of a group that nothing but the order holds, in their order.
  package func readyJobs(of group: OrderGroup, in department: Department, limit: Int) throws -> [Int64] {
    try statements.all(
      """
      SELECT number FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan = ? AND order_rank = ?
        AND not_before IS NULL AND open_dependencies = 0 AND withheld = 0
      ORDER BY order_position, number LIMIT ?
      """, department, group.plan, group.rank, limit)
  }

  /// The first suspect of a group; nil: none waits.
  package func nextSuspect(of group: OrderGroup, in department: Department) throws -> HeldJob? {
    let number: Int64? = try statements.first(
      """
      SELECT number FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan = ? AND order_rank = ?
        AND withheld = 2
      ORDER BY deaths, order_position, number LIMIT 1
      """, department, group.plan, group.rank)
    return try number.flatMap { try held($0) }
  }

  /// Whether there is a job of that number, and it has no outcome.
  package func isUnfinished(_ number: Int64) throws -> Bool {
    try statements.hasRow("SELECT 1 FROM job WHERE number = ? AND state < 2", number)
  }
}
