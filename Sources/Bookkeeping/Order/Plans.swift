import Decisions
import JobModel
import Ledger
import Logging

/// Plans: accepted as a whole, and ended by their steps. A plan's steps are held, and its department releases them in
/// their order.
struct Plans {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let audience: Audience
  let dependents: Dependents
  let dueTimes: DueTimes
  let ending: Ending
  let time: LedgerTime
  let logger: Logger

  /// - Throws: `Rejection`, with nothing recorded of the plan.
  func accept(_ plan: PlanSubmission, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    // First, as for a job.
    try pass.requireSubmitting(plan.department, plan.id, plan.reply)
    guard let settings = configuration.departments[plan.department] else {
      throw Rejection(
        .unknownDepartment(plan.department.name, known: configuration.departments.keys), reply: plan.reply,
        messageID: plan.id.description)
    }
    guard settings.isOrdered else { throw Rejection(notOrdered: plan) }
    if try turn.ledger.plan(plan.id) == nil { try checkSteps(of: plan, turn) }
    switch try turn.ledger.accept(plan, at: now) {
    case .known(let known):
      try pass.requireSubmitting(known.department, plan.id, plan.reply)
      let isNewAddress = audience.repeated(plan.id, known.outcome, known: known.reply, plan.reply, turn)
      if isNewAddress { try turn.ledger.replaceReply(ofPlan: known.id, plan.reply) }
    case .new(let number):
      for position in plan.steps.indices { try accept(position, of: plan, number: number, now, turn) }
      try dependents.accepted(plan.id, turn)
      departments.mayFill(plan.department)
      audience.answer(plan.reply, plan.id, .accepted, turn)
    }
  }

  private func accept(
    _ position: Int, of plan: PlanSubmission, number: Int64, _ now: Timestamp, _ turn: Turn
  ) throws {
    let step = plan.steps[position]
    let settings = configuration.settings(of: step.kind)
    let attempts = step.attempts ?? settings.attempts
    let content = JobContent(
      payload: step.payload ?? [], contentType: "application/json", trace: plan.trace, headers: plan.headers)
    let job = Job(
      number: 0, id: JobID(plan: plan.id, step: step.name), kind: step.kind, department: plan.department,
      priority: Priority(rank: step.rank), progress: JobProgress(maxAttempts: attempts), plan: plan.id,
      step: step.name, startBy: settings.startWithin.map { now + $0 }, timeout: settings.timeout,
      submittedAt: plan.submittedAt, acceptedAt: now)
    let order = OrderPlace(plan: number, rank: step.rank, position: position)
    let new = NewJob(job, content: content, order: order, levelWorth: configuration.priorityWorth)
    guard case .new = try turn.ledger.accept(new) else { return }
    if let startBy = job.startBy { dueTimes.expectTooLate(startBy) }
    departments.hold(.room, job.priority, in: plan.department)
    turn.changed(JobChange(job: job.identity, plan: plan.id, from: nil, to: .held))
  }

  /// A step whose id is a job's or a plan's already would never run, and its plan would wait for it for ever.
  private func checkSteps(of plan: PlanSubmission, _ turn: Turn) throws {
    let ids = plan.steps.map { JobID(plan: plan.id, step: $0.name) }
    let taken = try turn.ledger.states(of: ids)
    guard let index = ids.firstIndex(where: { taken[$0] != nil }) else { return }
    let message = """
      step "\(plan.steps[index].name)" would have the id \(ids[index]), and the ledger has a job or a plan of that id: \
      submit the plan with another id
      """
    throw Rejection(
      JobFailure(code: JobFailure.Code.idTaken, message: message), reply: plan.reply, messageID: plan.id.description)
  }
}

// MARK: - The end

extension Plans {
  /// Looks after the plans of all steps that have ended in this turn. Every step is required: one that fails, or is
  /// cancelled, shuts the plan, and the rest is cancelled.
  func advance(_ turn: Turn) throws {
    while let step = turn.nextEndedStep() {
      guard let id = step.plan, let outcome = step.outcome, let plan = try turn.ledger.plan(id), plan.outcome == nil
      else { continue }
      if let failure = outcome.failure {
        let name = try turn.ledger.job(step.job.id)?.step ?? step.job.id.description
        try end(
          plan, Outcome(ofPlanShutBy: name, outcome.state, failure), turn,
          rest: .planShut(step: name, outcome.state, failure))
      } else if try !turn.ledger.hasUnfinishedSteps(of: plan) {
        try conclude(plan, .succeeded(result: [], contentType: nil), turn)
      }
    }
  }

  /// Cancels a plan: what waits of it and what runs.
  ///
  /// - Returns: how many steps that were.
  @discardableResult
  func cancel(_ plan: PlanRecord, because reason: JobFailure, _ turn: Turn) throws -> Int {
    try end(plan, .cancelled(reason), turn, rest: reason)
  }

  /// The plan first, so that the end of each of its steps changes nothing of it.
  @discardableResult
  private func end(_ plan: PlanRecord, _ outcome: Outcome, _ turn: Turn, rest reason: JobFailure) throws -> Int {
    let rest = try turn.ledger.unfinishedSteps(of: plan.id)
    try conclude(plan, outcome, turn)
    for job in rest { try ending.endJob(job, .cancelled(reason), turn) }
    return rest.count
  }

  private func conclude(_ plan: PlanRecord, _ outcome: Outcome, _ turn: Turn) throws {
    try turn.ledger.finishPlan(plan.id, outcome, at: time.now)
    logger.info("plan ended", metadata: ["plan": "\(plan.id)", "state": "\(outcome.state)"])
    dependents.noteEnd(of: plan.id, outcome.state)
    audience.tellEnd(of: plan.id, outcome, to: plan.reply, turn)
  }
}

extension Rejection {
  fileprivate init(notOrdered plan: PlanSubmission) {
    let message = "a plan needs an ordered department, and \"\(plan.department)\" is none: set `ordered: true`"
    self.init(
      JobFailure(code: JobFailure.Code.notOrdered, message: message), reply: plan.reply, messageID: plan.id.description)
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
