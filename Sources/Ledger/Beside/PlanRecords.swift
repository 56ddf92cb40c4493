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
    noteOtherOwner()
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

  /// Whether a job of the plan has no outcome yet.
  package func hasUnfinishedSteps(of plan: PlanRecord) throws -> Bool {
    // While one is held, its order finds it; only towards the end of a plan are all jobs looked through.
    if try statements.hasRow(PlanJobs.held + PlanJobs.first, plan.department, plan.number, plan.id) { return true }
    return try statements.hasRow(PlanJobs.unfinished, plan.id)
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

  /// The steps of a plan, those of earlier rounds first, and the newest of its events, in their order; without what
  /// their handlers returned.
  ///
  /// - Returns: At most `limit` jobs and `eventLimit` of events, and how many there are in all.
  package func listedJobs(ofPlan id: JobID, limit: Int, eventLimit: Int) throws -> (jobs: [Job], total: Int) {
    let numbers: [Int64] =
      try statements.all(PlanJobs.steps, id, limit) + statements.all(PlanJobs.newestEvents, id, eventLimit)
    let jobs = try numbers.compactMap {
      try statements.first(
        "SELECT \(JobRow.columnsWithoutResult) FROM job WHERE number = ?", $0, decode: JobRow.job)
    }
    // Places of one plan: by rank and position; then by number.
    let inOrder = jobs.sorted { left, right in
      guard let one = left.order, let other = right.order, one != other else { return left.number < right.number }
      return one < other
    }
    return (inOrder, try statements.first(PlanJobs.count, id) ?? 0)
  }

  /// What decides a run of a plan. Nil: there is no such plan, or it is of an earlier version, in which every step was
  /// required.
  package func rules(ofPlan id: JobID) throws -> PlanRules? {
    try statements.first("SELECT rules FROM plan WHERE id = ?", id) { try $0[0] as PlanRules? } ?? nil
  }

  /// Where each step of a plan stands, and each of its events that has not ended, in the order of their acceptance.
  package func jobs(ofPlan id: JobID) throws -> [PlanJob] {
    try statements.all(PlanJobs.deciding, id) { row in
      PlanJob(
        id: try row[0], name: try row[1] ?? "", rank: try row[2] ?? 0, round: try row[3] ?? 1, state: try row[4],
        code: try row[5])
    }
  }
}

/// The statements that read the jobs of one plan. An open plan may have acted on any number of events.
enum PlanJobs {
  static let held = """
    SELECT number FROM job INDEXED BY job_order
    WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan = ? AND plan = ?
    """
  static let first = " ORDER BY order_rank, order_position, number LIMIT 1"
  static let unfinished = "SELECT 1 FROM job INDEXED BY job_plan WHERE plan = ? AND state < 2 LIMIT 1"
  static let count = "SELECT count(*) FROM job INDEXED BY job_plan WHERE plan = ?"
  static let steps = """
    SELECT number FROM job INDEXED BY job_step WHERE plan = ? AND round > 0
    ORDER BY order_rank, order_position, number LIMIT ?
    """
  static let newestEvents = """
    SELECT number FROM job INDEXED BY job_plan WHERE plan = ? AND round = 0 ORDER BY number DESC LIMIT ?
    """
  static let deciding = """
    SELECT id, step, order_rank, round, state, error_code, number FROM job INDEXED BY job_step
    WHERE plan = ?1 AND round > 0
    UNION ALL
    SELECT id, step, order_rank, round, state, error_code, number FROM job INDEXED BY job_plan
    WHERE plan = ?1 AND round = 0 AND state < 2
    ORDER BY number
    """
}
