import Decisions
import JobModel
import Ledger

/// The jobs of plans: of steps, of later rounds of steps, and of events. Each is held at its place in the order.
struct PlanJobs {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let dependents: Dependents
  let dueTimes: DueTimes

  /// Accepts the job of a step.
  func accept(_ position: Int, of plan: PlanSubmission, number: Int64, at now: Timestamp, _ turn: Turn) throws {
    let step = plan.steps[position]
    let settings = configuration.settings(of: step.kind)
    let content = JobContent(
      payload: step.payload ?? [], contentType: "application/json", trace: plan.trace, headers: plan.headers)
    let startWithin = step.startWithin ?? settings.startWithin
    let job = Job(
      number: 0, id: JobID(plan: plan.id, step: step.name), kind: step.kind, department: plan.department,
      priority: Priority(rank: step.rank), progress: JobProgress(maxAttempts: step.attempts ?? settings.attempts),
      plan: plan.id, step: step.name, round: 1, startBy: startWithin.map { now + $0 },
      timeout: step.timeout ?? settings.timeout, submittedAt: plan.submittedAt, acceptedAt: now)
    _ = try hold(job, content, OrderPlace(plan: number, rank: step.rank, position: position), turn)
  }

  /// Accepts the job of a step that is to run again.
  ///
  /// - Returns: Whether it was accepted; it was not when a job of its id is there already.
  func accept(_ round: PlanRound, of plan: PlanRecord, at now: Timestamp, _ turn: Turn) throws -> Bool {
    guard let last = try turn.ledger.job(round.last), let order = last.order,
      let content = try turn.ledger.content(of: last.number)
    else { return false }
    let startWithin = round.rule?.startWithin ?? configuration.settings(of: last.kind).startWithin
    // An operator may have moved the round before.
    let rank = round.rule?.rank ?? order.rank
    let job = Job(
      number: 0, id: JobID(plan: plan.id, step: round.step, round: round.round), kind: last.kind,
      department: plan.department, priority: Priority(rank: rank),
      progress: JobProgress(maxAttempts: last.progress.saidAttempts), plan: plan.id, step: round.step,
      round: round.round, startBy: startWithin.map { now + $0 }, timeout: last.timeout, acceptedAt: now)
    return try hold(job, content, OrderPlace(plan: order.plan, rank: rank, position: order.position), turn)
  }

  /// Accepts the job that acts on an event.
  ///
  /// - Returns: Whether it was accepted; it was not when a job has the event's id already.
  func accept(_ event: EventRecord, rank: Int, of run: PlanRecord, at now: Timestamp, _ turn: Turn) throws -> Bool {
    let settings = configuration.settings(of: event.kind)
    let job = Job(
      number: 0, id: event.id, kind: event.kind, department: event.department, priority: Priority(rank: rank),
      progress: JobProgress(maxAttempts: settings.attempts), plan: run.id, step: event.name.name, round: 0,
      startBy: settings.startWithin.map { now + $0 }, timeout: settings.timeout, reply: event.reply,
      submittedAt: event.submittedAt, acceptedAt: now)
    // Behind the steps of its rank, in the order in which the events came.
    let order = OrderPlace(plan: run.number, rank: rank, position: PlanDefinition.stepLimit)
    return try hold(job, event.content, order, turn)
  }

  private func hold(_ job: Job, _ content: JobContent, _ order: OrderPlace, _ turn: Turn) throws -> Bool {
    let new = NewJob(job, content: content, order: order, levelWorth: configuration.priorityWorth)
    guard case .new = try turn.ledger.accept(new) else { return false }
    if let startBy = job.startBy { dueTimes.expectTooLate(startBy) }
    departments.hold(.room, job.priority, in: job.department)
    departments.mayFill(job.department)
    turn.changed(JobChange(job: job.identity, plan: job.plan, from: nil, to: .held))
    try dependents.accepted(job.id, turn)
    return true
  }
}
