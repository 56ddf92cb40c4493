package import JobModel

extension LedgerTransaction {
  /// Removes jobs that ended before `time` and whose notification is in the stream, with all that belongs to them; the
  /// oldest first, at most `limit`. The steps of an open plan stay. Acceptance and notification numbers are not given
  /// again.
  ///
  /// - Returns: How many it removed; fewer than `limit` when there are no more.
  package func remove(endedBefore time: Timestamp, limit: Int) throws -> Int {
    let numbers = try oldest(limit).prefix { $0.finishedAt < time }.map(\.number)
    try keepNumbers()
    for number in numbers {
      try statements.run("DELETE FROM job WHERE number = ?", [number.cell])
    }
    try statements.run(
      """
      DELETE FROM plan WHERE number IN (
        SELECT number FROM plan
        WHERE state IS NOT NULL AND finished_at < ? AND NOT EXISTS (SELECT 1 FROM job WHERE job.plan = plan.id)
        LIMIT ?)
      """, [time.cell, limit.cell])
    return numbers.count
  }

  /// The jobs that ended first, in the order of their notifications: that needs no index on the time.
  private func oldest(_ limit: Int) throws -> [(number: Int64, finishedAt: Timestamp)] {
    try statements.all(
      """
      SELECT job.number, finished_at FROM notification JOIN job ON job.number = notification.job
      WHERE seq <= (SELECT sent_seq FROM ledger)
        AND (plan IS NULL OR NOT EXISTS (SELECT 1 FROM plan WHERE plan.id = job.plan AND plan.state IS NULL))
      ORDER BY seq LIMIT ?
      """, [limit.cell]
    ) { (number: try $0.int64(0), finishedAt: try $0.time(1)) }
  }

  private func keepNumbers() throws {
    let used = try nextNumber() - 1
    try statements.run("UPDATE ledger SET used_number = ?1 WHERE used_number < ?1", [used.cell])
  }
}
