package import JobModel

extension LedgerQueries {
  /// The held job of an ordered department that comes next, even if it has to wait; nil when it holds none.
  package func firstInOrder(of department: Department) throws -> JobID? {
    try statements.first(
      """
      SELECT id FROM job INDEXED BY job_order WHERE state = 0 AND order_plan IS NOT NULL AND department = ?
      ORDER BY order_plan, order_rank, order_position, number LIMIT 1
      """, department)
  }
}
