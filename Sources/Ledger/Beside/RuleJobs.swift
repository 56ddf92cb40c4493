package import JobModel

/// Which rule has made a job, and of what.
package struct RuleOrigin: Hashable, Sendable {
  package var rule: RuleName
  /// The notification that the job was made of.
  package var notification: NotificationPosition
  /// The job, the plan's run or the event that the notification was about; nil: something else.
  package var cause: JobID?
  /// How many rules have led to the job: 1, if no rule has made the cause.
  package var depth: Int

  package init(rule: RuleName, notification: NotificationPosition, cause: JobID?, depth: Int) {
    (self.rule, self.notification, self.cause, self.depth) = (rule, notification, cause, depth)
  }
}

extension LedgerTransaction {
  /// Records that a rule has made a job. Nothing is recorded when the ledger has no such job.
  package func add(_ origin: RuleOrigin, of job: JobID) throws {
    try statements.run(
      """
      INSERT INTO rule_job (job, rule, epoch, notification, cause, depth)
      SELECT number, ?2, ?3, ?4, ?5, ?6 FROM job WHERE id = ?1 ON CONFLICT DO NOTHING
      """, job, origin.rule, origin.notification.epoch, origin.notification.seq, origin.cause, origin.depth)
  }
}

extension LedgerReading {
  /// Which rule has made a job; nil: none has.
  package func ruleOrigin(of job: JobID) throws -> RuleOrigin? {
    try statements.first(
      """
      SELECT rule, rule_job.epoch, notification, cause, depth FROM job JOIN rule_job ON rule_job.job = job.number
      WHERE job.id = ?
      """, job
    ) { row in
      RuleOrigin(
        rule: try row[0], notification: NotificationPosition(epoch: try row[1], seq: try row[2]), cause: try row[3],
        depth: try row[4])
    }
  }

  /// The jobs that rules have made of notifications about one job, in the order in which they were made.
  package func jobsOfRules(causedBy job: JobID, limit: Int) throws -> [JobID] {
    try statements.all(
      """
      SELECT job.id FROM rule_job JOIN job ON job.number = rule_job.job WHERE cause = ? ORDER BY rule_job.job LIMIT ?
      """, job, limit
    ) { try $0[0] }
  }
}

extension LedgerReading {
  /// The jobs that rules have made of what happened to a job, and of what happened to these, and so on; the nearest first.
  package func chain(of job: JobID, limit: Int) throws -> [Job] {
    try statements.all(
      """
      WITH RECURSIVE chain (id, number, depth) AS (
        SELECT id, number, 0 FROM job WHERE id = ?1
        UNION
        SELECT job.id, job.number, chain.depth + 1
        FROM chain JOIN rule_job ON cause = chain.id JOIN job ON job.number = rule_job.job
        WHERE chain.depth < \(Rule.longestChain)
      )
      SELECT \(JobRow.columns) FROM job WHERE number IN (SELECT number FROM chain WHERE depth > 0 ORDER BY depth, number LIMIT ?2)
      """, job, limit, decode: JobRow.job)
  }
}

extension RuleName: Cell {
  var stored: String { name }
  init(stored: String) throws { self = try known(RuleName(stored), "a rule that is no name") }
}
