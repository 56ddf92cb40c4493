import Decisions
import JobModel
import Ledger
import Logging

/// How plans go on when their steps end: as ``PlanRun`` decides.
struct PlanAdvancing {
  let departments: Departments
  let audience: Audience
  let dependents: Dependents
  let planJobs: PlanJobs
  let gates: PlanGates
  let events: PlanEvents
  let rules: KnownRules
  let ending: Ending
  let time: LedgerTime
  let logger: Logger

  /// Looks after the plans of all jobs that have ended in this turn, or have another place in the order.
  func advance(_ turn: Turn) throws {
    while let ended = turn.nextEndedStep() {
      guard let id = ended.plan, let plan = try turn.ledger.plan(id), plan.outcome == nil else { continue }
      try advance(plan, after: ended, turn)
    }
    while let placed = turn.nextPlacedStep() {
      guard let plan = try turn.ledger.plan(placed.plan) else { continue }
      if plan.outcome == nil { try goBack(plan, turn) } else { try events.joinPresentRun(placed.job, of: plan, turn) }
    }
  }

  private func advance(_ plan: PlanRecord, after ended: JobChange, _ turn: Turn) throws {
    let rules = try rules.rules(of: plan.id, turn.ledger)
    if ended.to != .succeeded { self.rules.note(plan.id, isCalm: false) }
    // Most steps succeed, and most plans do not go back now: then it is enough that others follow.
    let mayGoBack = rules?.hasReentry == true && !self.rules.isCalm(plan.id)
    let isOrdinary = ended.to == .succeeded && !mayGoBack
    if isOrdinary, try turn.ledger.hasUnfinishedSteps(of: plan) { return }
    let jobs = try turn.ledger.jobs(ofPlan: plan.id)
    let run = PlanRun(rules ?? PlanRules(allRequired: jobs), jobs: jobs)
    if let job = jobs.first(where: { $0.id == ended.job.id }), run.verdict(on: job) == .passedOver {
      try tell(.passedOver, of: job, plan, turn)
    }
    switch run.decision {
    case .goOn: self.rules.note(plan.id, isCalm: mayGoBack && run.returning.isEmpty)
    case .goBack(let rounds): try goBack(plan, run, rounds, turn)
    case .shut(let shut): try self.shut(plan, shut, turn)
    case .opened: try conclude(plan, .succeeded(result: [], contentType: nil), turn)
    }
  }

  /// A step that kept the plan from going back may stand behind the step that goes back by now.
  private func goBack(_ plan: PlanRecord, _ turn: Turn) throws {
    guard let rules = try rules.rules(of: plan.id, turn.ledger), rules.hasReentry else { return }
    let run = PlanRun(rules, jobs: try turn.ledger.jobs(ofPlan: plan.id))
    if case .goBack(let rounds) = run.decision { try goBack(plan, run, rounds, turn) }
  }

  private func goBack(_ plan: PlanRecord, _ run: PlanRun, _ rounds: [PlanRound], _ turn: Turn) throws {
    for job in run.returning { try tell(.wentBack, of: job, plan, turn) }
    logger.info(
      "plan goes back", metadata: ["plan": "\(plan.id)", "steps": "\(rounds.map(\.step).joined(separator: ", "))"])
    for round in rounds where try !planJobs.accept(round, of: plan, at: time.now, turn) {
      let failure = JobFailure.idTaken(byRoundOf: round.step)
      try end(plan, .failed(failure), turn, rest: failure)
      return
    }
  }

  private func shut(_ plan: PlanRecord, _ shut: PlanShut, _ turn: Turn) throws {
    guard let failure = try turn.ledger.job(shut.job)?.outcome?.failure else { return }
    try end(plan, Outcome(ofPlan: shut, failure), turn, rest: .planShut(by: shut, failure))
  }

  /// Whether an attempt that failed with that code ends its job at once, since its plan goes back.
  func goesBack(_ job: LiveJob, on code: String, _ turn: Turn) throws -> Bool {
    guard let step = job.step, !step.isEvent, let rules = try rules.rules(of: step.plan, turn.ledger) else {
      return false
    }
    return rules.step(step.name)?.reentry?.code.isExactly(code) == true
  }
}

// MARK: - The end

extension PlanAdvancing {
  /// Cancels a plan: what waits of it and what runs.
  ///
  /// - Returns: how many steps that were.
  @discardableResult
  func cancel(_ plan: PlanRecord, because reason: JobFailure, _ turn: Turn) throws -> Int {
    try end(plan, .cancelled(reason), turn, rest: reason)
  }

  /// The plan first, so that the end of each of its steps changes nothing of it. Events that nobody has acted on yet are
  /// kept for the next run; those that are acted on go on.
  @discardableResult
  private func end(_ plan: PlanRecord, _ outcome: Outcome, _ turn: Turn, rest reason: JobFailure) throws -> Int {
    let rest = try turn.ledger.unfinishedSteps(of: plan.id)
    try conclude(plan, outcome, turn)
    let steps = rest.filter { $0.round != 0 }
    for job in rest where job.round == 0 { try events.keepAgain(job, at: time.now, turn) }
    for job in steps { try ending.endJob(job, .cancelled(reason), turn) }
    return steps.count
  }

  private func conclude(_ plan: PlanRecord, _ outcome: Outcome, _ turn: Turn) throws {
    rules.note(plan.id, isCalm: false)
    try turn.ledger.finishPlan(plan.id, outcome, at: time.now)
    logger.info("plan ended", metadata: ["plan": "\(plan.id)", "state": "\(outcome.state)"])
    if let name = plan.name, var record = try turn.ledger.phase(of: name), record.run == plan.id {
      record.phase = PlanPhase(of: outcome.state)
      record.areGatesOpen = outcome.state == .succeeded
      try turn.ledger.save(record)
      try gates.closeDepartments(by: turn.ledger)
    }
    try turn.notify(Notification(endOf: plan, outcome, at: time.now), about: .plan(plan.id))
    dependents.noteEnd(of: plan.id, outcome.state)
    audience.tellEnd(of: plan.id, outcome, to: plan.reply, turn)
  }

  /// Tells what the end of a step means for its plan.
  private func tell(_ news: OptionalEvent, of step: PlanJob, _ plan: PlanRecord, _ turn: Turn) throws {
    guard let job = try turn.ledger.job(step.id) else { return }
    if try turn.ledger.settle(job.number, .handled) { departments.countUnsettled(-1, in: job.department) }
    try turn.notify(news, in: plan.department, about: .plan(plan.id)) { event in
      Notification(
        job: job.id, kind: job.kind, department: plan.department, event: event, attempt: 1, at: time.now,
        error: job.outcome?.failure, plan: plan.name, name: step.name)
    }
  }
}

extension Notification {
  /// The outcome of a plan.
  fileprivate init(endOf plan: PlanRecord, _ outcome: Outcome, at now: Timestamp) {
    self.init(
      seq: nil, job: plan.id, kind: .plan, department: plan.department, event: outcome.state.rawValue, attempt: 1,
      at: now, error: outcome.failure, plan: plan.name)
  }
}

extension PlanRules {
  /// The rules of a plan of an earlier version.
  fileprivate init(allRequired jobs: [PlanJob]) {
    self.init(steps: jobs.map { Step($0.name, rank: $0.rank) })
  }
}

extension JobFailure {
  /// Why the rest of a plan is cancelled.
  fileprivate static func planShut(by shut: PlanShut, _ failure: JobFailure) -> JobFailure {
    let ended = planShut(step: shut.step, failure: failure)
    guard shut.state == .cancelled else { return ended }
    return JobFailure(code: ended.code, message: "step \"\(shut.step)\" of its plan was cancelled")
  }

  fileprivate static func idTaken(byRoundOf step: String) -> JobFailure {
    JobFailure(
      code: Code.idTaken, message: "step \"\(step)\" cannot run again: a job has the id that its new job would have")
  }
}

extension Outcome {
  /// A plan of which a required step failed has failed; one of which a required step was cancelled was cancelled.
  fileprivate init(ofPlan shut: PlanShut, _ failure: JobFailure) {
    if let count = shut.goneBack {
      let times = count == 1 ? "once" : "\(count) times"
      self = .failed(
        JobFailure(
          code: JobFailure.Code.reentryLimit,
          message: "step \"\(shut.step)\" failed with \(failure.code) again: the plan has gone back \(times), and may "
            + "not do so more often; last: \(failure.message)"))
      return
    }
    let verb = shut.state == .cancelled ? "was cancelled" : "failed"
    let reason = JobFailure(code: failure.code, message: "step \"\(shut.step)\" \(verb): \(failure.message)")
    self = shut.state == .cancelled ? .cancelled(reason) : .failed(reason)
  }
}
