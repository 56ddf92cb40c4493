import GRDB
package import JobModel

extension LedgerTransaction {
  /// Records a plan under the next acceptance number, unless there is one of its id: then nothing changes, and that one
  /// is returned as it stands.
  package func accept(_ plan: NewPlan) throws -> PlanAcceptance {
    let number = try nextNumber()
    let changed = try statements.run(
      """
      INSERT INTO plan (number, id, department, reply_to, reply_correlation, reply_wait, submitted_at, accepted_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """,
      number, plan.id, plan.department, plan.reply?.replyTo, plan.reply?.correlationID,
      plan.reply?.wait, plan.submittedAt, plan.acceptedAt)
    if changed == 1 {
      useNumber(number)
      return .new(number: number)
    }
    guard let known = try self.plan(plan.id) else { throw Damage(what: "plan \(plan.id) is there and cannot be found") }
    return .known(known)
  }

  /// Answers the plan's outcome there from now on; nil: nowhere.
  package func replaceReply(ofPlan id: JobID, _ reply: ReplyAddress?) throws {
    let changed = try statements.run(
      "UPDATE plan SET reply_to = ?, reply_correlation = ?, reply_wait = ? WHERE id = ?",
      reply?.replyTo, reply?.correlationID, reply?.wait, id)
    guard changed == 1 else { throw LedgerError.failed("plan \(id) is not in the ledger") }
  }

  /// The plan of that id.
  package func plan(_ id: JobID) throws -> PlanRecord? {
    try statements.plan(id)
  }

  /// The acceptance number of the department's first open plan.
  package func openPlanNumber(in department: Department) throws -> Int64? {
    try statements.first(
      "SELECT number FROM plan WHERE state IS NULL AND department = ? ORDER BY number LIMIT 1", department)
  }

  /// The steps of a plan that have no outcome yet, in their order.
  package func unfinishedSteps(of plan: JobID) throws -> [Job] { try statements.unfinishedSteps(of: plan) }

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
      outcome.state, time, cells.code, cells.message, cells.contentType, cells.result,
      id)
    if changed == 1 { return true }
    guard try plan(id) != nil else { throw LedgerError.failed("plan \(id) is not in the ledger") }
    return false
  }
}

extension Statements {
  func plan(_ id: JobID) throws -> PlanRecord? {
    try first(
      """
      SELECT number, id, department, reply_to, reply_correlation, reply_wait, submitted_at, accepted_at, finished_at,
        state, error_code, error_message, result_type, result
      FROM plan WHERE id = ?
      """, id
    ) { cells in
      let state: JobState? = try cells[9]
      let outcome = try OutcomeCells(
        code: cells[10], message: cells[11], contentType: cells[12], result: cells[13])
      return PlanRecord(
        number: try cells[0], id: try cells[1], department: try cells[2],
        reply: ReplyAddress(try cells[3], try cells[4], try cells[5]), submittedAt: try cells[6],
        acceptedAt: try cells[7],
        finishedAt: try cells[8],
        outcome: try state.flatMap(outcome.outcome))
    }
  }

  func unfinishedSteps(of plan: JobID) throws -> [Job] {
    try all(
      """
      SELECT \(JobRow.columns) FROM job WHERE plan = ? AND state < 2
      ORDER BY order_plan, order_rank, order_position, number
      """, plan, decode: JobRow.job)
  }
}
