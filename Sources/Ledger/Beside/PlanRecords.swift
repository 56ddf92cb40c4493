package import JobModel

/// A plan as the ledger keeps it.
package struct PlanRecord: Hashable, Sendable {
  /// The acceptance number: plans and jobs draw from one sequence.
  package var number: Int64
  package var id: JobID
  package var department: Department
  /// Nil: the plan only runs.
  package var name: PlanName?
  package var reply: ReplyAddress?
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  package var finishedAt: Timestamp?
  /// Nil while it is open.
  package var outcome: Outcome?
}

extension LedgerTransaction {
  /// Records a plan under the next acceptance number, unless there is one of its id: then nothing changes, and that one
  /// is returned as it stands. The steps of a new plan are accepted as jobs of their own.
  package func accept(_ plan: PlanSubmission, at time: Timestamp) throws -> Acceptance<PlanRecord> {
    let number = try nextNumber()
    let changed = try statements.run(
      """
      INSERT INTO plan (number, id, department, name, rules, reply_to, reply_correlation, reply_wait, submitted_at,
        accepted_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """,
      number, plan.id, plan.department, plan.definition.name, PlanRules(plan.definition), plan.reply?.replyTo,
      plan.reply?.correlationID, plan.reply?.wait,
      plan.submittedAt, time)
    if changed == 1 {
      useNumber(number)
      return .new(number: number)
    }
    return .known(try known(self.plan(plan.id), "plan \(plan.id) is there and cannot be found"))
  }

  /// Answers the plan's outcome there from now on; nil: nowhere.
  package func replaceReply(ofPlan id: JobID, _ reply: ReplyAddress?) throws {
    let changed = try statements.run(
      "UPDATE plan SET reply_to = ?, reply_correlation = ?, reply_wait = ? WHERE id = ?",
      reply?.replyTo, reply?.correlationID, reply?.wait, id)
    guard changed == 1 else { throw LedgerError.failed("plan \(id) is not in the ledger") }
  }

  /// The acceptance number of the department's first open plan.
  package func openPlanNumber(in department: Department) throws -> Int64? {
    try statements.first(
      "SELECT number FROM plan WHERE state IS NULL AND department = ? ORDER BY number LIMIT 1", department)
  }

  /// Whether a step of the plan has no outcome yet.
  package func hasUnfinishedSteps(of plan: PlanRecord) throws -> Bool {
    // While one is held, its order finds it; only towards the end of a plan are all steps looked through.
    let isOneHeld = try statements.hasRow(
      """
      SELECT 1 FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan = ? AND plan = ?
      LIMIT 1
      """, plan.department, plan.number, plan.id)
    if isOneHeld { return true }
    return try statements.hasRow("SELECT 1 FROM job WHERE plan = ? AND state < 2 LIMIT 1", plan.id)
  }

  /// Records the outcome of a plan. A plan that has its outcome keeps it.
  ///
  /// - Returns: Whether it was recorded now.
  @discardableResult
  package func finishPlan(_ id: JobID, _ outcome: Outcome, at time: Timestamp) throws -> Bool {
    let cells = OutcomeCells(outcome)
    let changed = try statements.run(
      """
      UPDATE plan SET state = ?, finished_at = ?, error_code = ?, error_message = ?, result_type = ?, result = ?
      WHERE id = ? AND state IS NULL
      """,
      outcome.state, time, cells.code, cells.message, cells.contentType, cells.result, id)
    if changed == 1 { return true }
    guard try plan(id) != nil else { throw LedgerError.failed("plan \(id) is not in the ledger") }
    return false
  }
}

extension LedgerReading {
  /// The plan of that id; nil when there is none.
  package func plan(_ id: JobID) throws -> PlanRecord? {
    try statements.first(
      """
      SELECT number, id, department, reply_to, reply_correlation, reply_wait, submitted_at, accepted_at, finished_at,
        state, error_code, error_message, result_type, result, name
      FROM plan WHERE id = ?
      """, id
    ) { row in
      let state: JobState? = try row[9]
      let outcome = try OutcomeCells(code: row[10], message: row[11], contentType: row[12], result: row[13])
      return PlanRecord(
        number: try row[0], id: try row[1], department: try row[2], name: try row[14],
        reply: ReplyAddress(try row[3], try row[4], try row[5]), submittedAt: try row[6], acceptedAt: try row[7],
        finishedAt: try row[8], outcome: try state.flatMap(outcome.outcome))
    }
  }

  /// The steps of a plan that have no outcome yet, in their order; empty when there is no such plan.
  package func unfinishedSteps(of plan: JobID) throws -> [Job] {
    try statements.all(
      """
      SELECT \(JobRow.columns) FROM job WHERE plan = ? AND state < 2
      ORDER BY order_plan, order_rank, order_position, number
      """, plan, decode: JobRow.job)
  }

  /// All jobs of a plan, in their order, those of earlier rounds first; without what their handlers returned.
  package func listedJobs(ofPlan id: JobID) throws -> [Job] {
    try statements.all(
      """
      SELECT \(JobRow.columnsWithoutResult) FROM job WHERE plan = ?
      ORDER BY order_plan, order_rank, order_position, number
      """, id, decode: JobRow.job)
  }

  /// What decides a run of a plan. Nil: there is no such plan, or it is of an earlier version, in which every step was
  /// required.
  package func rules(ofPlan id: JobID) throws -> PlanRules? {
    try statements.first("SELECT rules FROM plan WHERE id = ?", id) { try $0[0] as PlanRules? } ?? nil
  }

  /// Where each job of a plan stands, in the order of their acceptance.
  package func jobs(ofPlan id: JobID) throws -> [PlanJob] {
    try statements.all(
      """
      SELECT id, step, order_rank, round, state, error_code FROM job WHERE plan = ? ORDER BY number
      """, id
    ) { row in
      PlanJob(
        id: try row[0], name: try row[1] ?? "", rank: try row[2] ?? 0, round: try row[3] ?? 1, state: try row[4],
        code: try row[5])
    }
  }
}
