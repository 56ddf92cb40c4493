import JobModel
import Ledger
import Logging

extension Bookkeeper {
  /// Accepts a plan as a whole: its steps are held, and its department releases them in their order.
  func accept(
    _ plan: PlanSubmission, by pass: Pass, at now: Timestamp, _ turn: Turn
  ) throws {
    guard let settings = configuration.departments[plan.department] else {
      throw unknownDepartment(plan.department.name, id: plan.id, reply: plan.reply)
    }
    try check(pass, plan.department, plan.id, plan.reply)
    guard settings.isOrdered else { throw notOrdered(plan) }
    if try turn.ledger.plan(plan.id) == nil { try checkSteps(of: plan, turn) }
    let record = NewPlan(
      id: plan.id, department: plan.department, reply: plan.reply, submittedAt: plan.submittedAt, acceptedAt: now)
    switch try turn.ledger.accept(record) {
    case .known(let known):
      try check(pass, known.department, plan.id, plan.reply)
      try repeated(known, plan.reply, turn)
    case .new(let number):
      for (position, step) in plan.steps.enumerated() {
        try accept(step, at: position, of: plan, number: number, now, turn)
      }
      if waitedFor.mayContain(plan.id) { _ = try turn.ledger.markKnown(plan.id) }
      unfilled.insert(plan.department)
      answer(plan.reply, plan.id, .accepted, turn)
    }
  }

  private func accept(
    _ step: PlanStep, at position: Int, of plan: PlanSubmission, number: Int64, _ now: Timestamp,
    _ turn: Turn
  ) throws {
    let settings = configuration.settings(of: step.kind)
    let attempts = step.attempts ?? settings.attempts ?? Submission.defaultMaxAttempts
    let job = NewJob(
      id: JobID(plan: plan.id, step: step.name), kind: step.kind, department: plan.department,
      priority: Priority(rank: step.rank), payload: step.payload ?? [], contentType: "application/json",
      progress: JobProgress(maxAttempts: attempts),
      order: OrderPlace(plan: number, rank: step.rank, position: position), plan: plan.id, step: step.name,
      startBy: settings.startWithin.map { now + $0 }, timeout: settings.timeout,
      levelWorth: configuration.priorityWorth, trace: plan.trace,
      submittedAt: plan.submittedAt, acceptedAt: now)
    guard case .new = try turn.ledger.accept(job) else { return }
    if let startBy = job.startBy { expectTooLate(startBy) }
    self[desk: plan.department].hold(.room, job.priority)
  }

  /// A step whose id is a job's or a plan's already would never run, and its plan would wait for it for ever.
  private func checkSteps(of plan: PlanSubmission, _ turn: Turn) throws {
    let ids = plan.steps.map { JobID(plan: plan.id, step: $0.name) }
    let taken = try turn.ledger.states(of: ids)
    guard !taken.isEmpty, let index = ids.firstIndex(where: { taken[$0] != nil }) else { return }
    let message = """
      step "\(plan.steps[index].name)" would have the id \(ids[index]), and the ledger has a job or a plan of that id: \
      submit the plan with another id
      """
    throw Rejection(
      JobFailure(code: "id_taken", message: message), reply: plan.reply, messageID: plan.id.description)
  }

  private func notOrdered(_ plan: PlanSubmission) -> Rejection {
    let message = "a plan needs an ordered department, and \"\(plan.department)\" is none: set `ordered: true`"
    let failure = JobFailure(code: "not_ordered", message: message)
    return Rejection(failure, reply: plan.reply, messageID: plan.id.description)
  }

  private func repeated(
    _ known: PlanRecord, _ reply: ReplyAddress?, _ turn: Turn
  ) throws {
    answer(reply, known.id, .duplicate, turn)
    guard let reply, reply.wait == .outcome else { return }
    if let outcome = known.outcome {
      answer(reply, known.id, .outcome(outcome), turn)
    } else {
      if let earlier = known.reply, earlier != reply { followers.add(earlier, of: known.id) }
      try turn.ledger.replaceReply(ofPlan: known.id, reply)
    }
  }

  /// A step has ended. Every step is required: one that fails, or is cancelled, shuts the plan, and the rest is
  /// cancelled.
  func advance(
    _ plan: JobID, afterStep step: JobID, _ outcome: Outcome, _ turn: Turn
  ) throws {
    guard let record = try turn.ledger.plan(plan), record.outcome == nil else { return }
    if let failure = outcome.failure {
      let rest = try turn.ledger.unfinishedSteps(of: plan)
      let name = try turn.ledger.job(step)?.step ?? step.description
      // First: the end of each of the others comes here again.
      try conclude(record, Outcome(ofPlanShutBy: name, outcome.state, failure), turn)
      for job in rest {
        try end(job, .cancelled(.planShut(step: name, outcome.state, failure)), turn)
      }
    } else if try !turn.ledger.hasUnfinishedSteps(of: record) {
      try conclude(record, .succeeded(result: [], contentType: nil), turn)
    }
  }

  /// Cancels a plan: what waits of it and what runs.
  ///
  /// - Returns: how many steps that were.
  @discardableResult
  func cancel(
    _ plan: PlanRecord, because reason: JobFailure, _ turn: Turn
  ) throws -> Int {
    let rest = try turn.ledger.unfinishedSteps(of: plan.id)
    try conclude(plan, .cancelled(reason), turn)
    for job in rest { try end(job, .cancelled(reason), turn) }
    return rest.count
  }

  private func conclude(
    _ plan: PlanRecord, _ outcome: Outcome, _ turn: Turn
  ) throws {
    try turn.ledger.finishPlan(plan.id, outcome, at: now)
    logger.info("plan ended", metadata: ["plan": "\(plan.id)", "state": "\(outcome.state)"])
    noteEnd(of: plan.id, outcome.state)
    tell(plan.reply, plan.id, outcome, turn)
  }
}

extension JobFailure {
  /// Why the rest of a plan is cancelled.
  fileprivate static func planShut(step: String, _ state: JobState, _ failure: JobFailure) -> JobFailure {
    let shut = planShut(step: step, failure: failure)
    guard state == .cancelled else { return shut }
    return JobFailure(code: shut.code, message: "step \"\(step)\" of its plan was cancelled")
  }
}

extension Outcome {
  /// A plan of which a step failed has failed; one of which a step was cancelled was cancelled.
  fileprivate init(ofPlanShutBy step: String, _ state: JobState, _ failure: JobFailure) {
    let verb = state == .cancelled ? "was cancelled" : "failed"
    let reason = JobFailure(code: failure.code, message: "step \"\(step)\" \(verb): \(failure.message)")
    self = state == .cancelled ? .cancelled(reason) : .failed(reason)
  }
}
