package import JobModel

/// The jobs that act on events, and are held.
extension LedgerTransaction {
  /// How many events of a run wait for their turn in a department, and the bytes of their payloads.
  package func roomOfHeldEvents(of run: PlanRecord, in department: Department) throws -> (count: Int, bytes: Int) {
    try statements.first(
      """
      SELECT count(*),
        ifnull(sum(ifnull(length(payload), (SELECT length(bytes) FROM payload WHERE job = job.number))), 0)
      FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan = ? AND round = 0
      """, department, run.number
    ) { (try $0[0], try $0[1]) } ?? (0, 0)
  }

  /// The events of a plan whose jobs are held in a department, in their order.
  package func heldEvents(of plan: PlanRecord, in department: Department) throws -> [Job] {
    let numbers: [Int64] = try statements.all(
      PlanJobs.held + " AND round = 0 ORDER BY order_rank, order_position, number", department, plan.number, plan.id)
    return try numbers.compactMap { try job(number: $0) }
  }

  /// The held jobs that act on events of the plans of a name, in runs before that one.
  package func heldEvents(of name: PlanName, before plan: PlanRecord) throws -> [Job] {
    let numbers: [Int64] = try statements.all(
      """
      SELECT number FROM job INDEXED BY job_order
      WHERE state = 0 AND order_plan IS NOT NULL AND department = ? AND order_plan < ? AND round = 0
        AND EXISTS (SELECT 1 FROM event WHERE event.id = job.id AND event.plan = ?)
      ORDER BY number
      """, plan.department, plan.number, name)
    return try numbers.compactMap { try job(number: $0) }
  }

  /// A held job belongs to another run of its plan from now on, and has its place in that run's order.
  package func move(_ number: Int64, to plan: PlanRecord) throws {
    let changed = try statements.run(
      "UPDATE job SET plan = ?, order_plan = ? WHERE number = ? AND state = 0", plan.id, plan.number, number)
    guard changed == 1 else { throw LedgerError.notLive(number) }
  }

  /// Removes a job that was never released, as if it had not been accepted.
  package func withdraw(_ number: Int64) throws {
    try keepNumbers()
    let changed = try statements.run("DELETE FROM job WHERE number = ? AND state = 0 AND release = 0", number)
    guard changed == 1 else { throw LedgerError.failed("job number \(number) was released, or is not in the ledger") }
  }
}
