import Decisions
import JobModel
import JobTransport
import Ledger

/// Plans: accepted as a whole. A plan's steps are held, and its department releases them in their order.
struct PlanAccepting {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let audience: Audience
  let dependents: Dependents
  let planJobs: PlanJobs
  let gates: PlanGates
  let events: PlanEvents
  let chance: Chance

  /// How many names of submitted plans are kept.
  static let nameLimit = 1_000

  /// Accepts a plan that somebody has submitted.
  ///
  /// - Throws: `Rejection`, with nothing recorded of the plan.
  func accept(_ plan: PlanSubmission, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    // First, as for a job.
    try pass.requireSubmitting(plan.department, plan.id, plan.reply)
    if let name = plan.definition.name, configuration.plans[name] != nil {
      throw Rejection(.planConfigured(name), of: plan)
    }
    try checkGates(of: plan, pass)
    try checkCircle(of: plan, turn)
    try checkSuccession(of: plan, pass, turn)
    try checkName(of: plan, turn)
    try accept(plan, of: plan.steps, isConfigured: false, by: pass, at: now, turn)
  }

  /// Starts a plan of the configuration.
  ///
  /// - Throws: `Rejection`, with nothing recorded of the plan.
  func start(_ start: PlanStart, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    let settings = configuration.plans[start.plan]
    try pass.requireSubmitting(settings?.definition.department, start.id, start.reply)
    guard var definition = settings?.definition else {
      let failure = JobFailure.unknownPlan(start.plan, known: configuration.plans.keys)
      throw Rejection(failure, reply: start.reply, messageID: start.id.description)
    }
    let open = definition.steps.filter { $0.payload == nil }.map(\.name)
    definition.give(start.payload)
    try checkPayloads(of: definition, start)
    let plan = PlanSubmission(
      id: start.id, definition: definition, submittedAt: start.submittedAt, reply: start.reply, trace: start.trace,
      headers: start.headers)
    // The configuration may have changed since the same start came: what was in the start is compared, and nothing else.
    try accept(plan, of: plan.steps.filter { open.contains($0.name) }, isConfigured: true, by: pass, at: now, turn)
  }

  /// Starts the plans that start with the coordinator, and have never been started. A plan that was submitted before it
  /// stood in the configuration stays where it stands.
  func startOpening(at now: Timestamp, _ turn: Turn) throws {
    try turn.ledger.adoptPhases(of: configuration.plans.keys)
    for (name, settings) in configuration.plans.sorted(by: { $0.key < $1.key }) where settings.startOn == .open {
      guard try turn.ledger.phase(of: name) == nil else { continue }
      var chance = chance
      try start(PlanStart(id: JobID(version7: now, using: &chance), plan: name), by: .everything, at: now, turn)
    }
  }

  /// `own`: the steps whose content the submitter has chosen.
  private func accept(
    _ plan: PlanSubmission, of own: [PlanStep], isConfigured: Bool, by pass: Pass, at now: Timestamp, _ turn: Turn
  ) throws {
    try checkDepartment(of: plan)
    if let known = try turn.ledger.plan(plan.id) ?? original(of: plan, turn) ?? present(plan, turn) {
      return try repeated(known, plan, own, isConfigured, by: pass, turn)
    }
    try checkSteps(of: plan, turn)
    let last = try plan.definition.name.flatMap { try turn.ledger.phase(of: $0)?.run }
    guard case .new(let number) = try turn.ledger.accept(plan, at: now) else { return }
    for position in plan.steps.indices { try planJobs.accept(position, of: plan, number: number, at: now, turn) }
    if let name = plan.definition.name {
      try turn.ledger.save(PlanPhaseRecord(name: name, run: plan, isConfigured: isConfigured))
      // What a plan of the configuration names, the configuration says.
      let (events, gates) = isConfigured ? ([], []) : (plan.definition.events.map(\.name), plan.definition.gates)
      try turn.ledger.setNames(in: name, events: events, gates: gates)
      try self.gates.closeDepartments(by: turn.ledger)
      try self.events.actOnKept(by: plan, number: number, at: now, turn)
    }
    try dependents.accepted(plan.id, turn)
    departments.mayFill(plan.department)
    audience.answer(plan.reply, plan.id, .accepted, also: last.map { DecidedPart(replaces: $0) }, turn)
  }

  /// The run of which a plan that came before was a duplicate; nil: it is new, as far as is known.
  private func original(of plan: PlanSubmission, _ turn: Turn) throws -> PlanRecord? {
    guard let name = plan.definition.name, let run = try turn.ledger.originalPlan(ofDuplicate: plan.id),
      run.name == name
    else { return nil }
    return run
  }

  /// The run of the plan's name that is under way, or open; nil: a new one can begin.
  private func present(_ plan: PlanSubmission, _ turn: Turn) throws -> PlanRecord? {
    guard let name = plan.definition.name, let phase = try turn.ledger.phase(of: name), !phase.phase.mayStart else {
      return nil
    }
    return try phase.run.flatMap(turn.ledger.plan)
  }

  /// The submitter is answered with the plan that there is.
  ///
  /// - Throws: `Rejection`, when the same id was used for another plan.
  private func repeated(
    _ known: PlanRecord, _ plan: PlanSubmission, _ own: [PlanStep], _ isConfigured: Bool, by pass: Pass, _ turn: Turn
  ) throws {
    try pass.requireSubmitting(known.department, plan.id, plan.reply)
    let difference = try difference(known, plan, own, isConfigured, turn)
    let isSameID = known.id == plan.id
    if isSameID, let difference { throw Rejection(idConflict: "plan", difference, plan) }
    if !isSameID { try turn.ledger.noteDuplicate(plan.id, of: known.number) }
    let decided = DecidedPart(
      state: known.outcome?.state ?? .held, isSameContent: difference == nil,
      isAgain: isSameID && known.submittedAt != nil && known.submittedAt == plan.submittedAt,
      failure: known.outcome?.failure)
    let isNewAddress = audience.repeated(known.id, known.outcome, known: known.reply, plan.reply, decided, turn)
    if isNewAddress { try turn.ledger.replaceReply(ofPlan: known.id, plan.reply) }
  }
}

// MARK: - What is refused

extension PlanAccepting {
  /// What a run that is there has that the submission has not; nil: nothing, as far as its steps are still known.
  private func difference(
    _ known: PlanRecord, _ plan: PlanSubmission, _ own: [PlanStep], _ isConfigured: Bool, _ turn: Turn
  ) throws -> String? {
    if known.name != plan.definition.name {
      return known.name.map { "that one is \"\($0)\"" } ?? "that one has no name"
    }
    if !isConfigured {
      if known.department != plan.department { return "that one is for department \"\(known.department)\"" }
      if let rules = try turn.ledger.rules(ofPlan: known.id), rules != PlanRules(plan.definition) {
        return "that one has other steps"
      }
    }
    for step in own {
      guard let job = try turn.ledger.job(JobID(plan: known.id, step: step.name)),
        let content = try turn.ledger.content(of: job.number)
      else { continue }
      if job.kind != step.kind { return "the kind of its step \"\(step.name)\" is \"\(job.kind)\"" }
      if content.payload != step.payload ?? [] { return "its step \"\(step.name)\" has another payload" }
    }
    return nil
  }

  private func checkDepartment(of plan: PlanSubmission) throws(Rejection) {
    guard let settings = configuration.departments[plan.department] else {
      throw Rejection(.unknownDepartment(plan.department.name, known: configuration.departments.keys), of: plan)
    }
    guard settings.isOrdered else { throw Rejection(.notOrdered(plan.department), of: plan) }
  }

  /// The payload of a start goes to many steps, and each has one of its own: together they may have as much as a plan
  /// that is submitted.
  private func checkPayloads(of definition: PlanDefinition, _ start: PlanStart) throws(Rejection) {
    let bytes = definition.steps.reduce(0) { $0 + ($1.payload?.count ?? 0) }
    guard bytes > SubmissionCodec.defaultBodyLimit else { return }
    let problem = """
      its steps would have payloads of \(bytes >> 10) KiB together, and may have \
      \(SubmissionCodec.defaultBodyLimit >> 10) KiB: each step without a payload in the file gets the one of the start
      """
    throw Rejection(.badPlan(problem), reply: start.reply, messageID: start.id.description)
  }

  /// A gate holds back everybody's jobs: only who may command may close one.
  private func checkGates(of plan: PlanSubmission, _ pass: Pass) throws(Rejection) {
    for gate in plan.definition.gates {
      try pass.requireCommanding(plan.id, plan.reply)
      if let failure = configuration.unknownDepartment(gate) { throw Rejection(failure, of: plan) }
    }
  }

  /// Around a circle of gates no plan would begin.
  private func checkCircle(of plan: PlanSubmission, _ turn: Turn) throws {
    if plan.definition.gates.isEmpty { return }
    let name = plan.definition.name
    var others = configuration.plans.map { GatedPlan($0, in: $1.definition.department, gates: $1.definition.gates) }
    for record in try turn.ledger.submittedWithShutGates() where record.name != name {
      guard let run = try record.run.flatMap(turn.ledger.plan) else { continue }
      others.append(
        GatedPlan(record.name, in: run.department, gates: try gates.departments(behind: record, turn.ledger)))
    }
    let new = GatedPlan(name, in: plan.department, gates: plan.definition.gates)
    guard let circle = new.circle(among: others) else { return }
    let problem = """
      plan "\(circle.plan.name)" runs in department "\(circle.gate)", behind a gate of this plan, and this plan waits \
      for that one: both would wait for ever
      """
    throw Rejection(.badPlan(problem), of: plan)
  }

  /// A new run of a name takes over from the last one: its gates, and the events that were kept. So its submitter needs
  /// the rights of the last one's.
  private func checkSuccession(of plan: PlanSubmission, _ pass: Pass, _ turn: Turn) throws {
    guard let name = plan.definition.name, let run = try turn.ledger.phase(of: name)?.run,
      let last = try turn.ledger.plan(run), last.id != plan.id
    else { return }
    try pass.requireSubmitting(last.department, plan.id, plan.reply)
    if try turn.ledger.rules(ofPlan: last.id)?.gates.isEmpty == false {
      try pass.requireCommanding(plan.id, plan.reply)
    }
  }

  /// The names of submitted plans are kept: for their gates, for their events, and so that a run begins once.
  private func checkName(of plan: PlanSubmission, _ turn: Turn) throws {
    guard let name = plan.definition.name, try turn.ledger.phase(of: name) == nil,
      try turn.ledger.submittedNames() >= PlanAccepting.nameLimit
    else { return }
    throw Rejection(.tooManyPlans(PlanAccepting.nameLimit), of: plan)
  }

  /// A step whose id is a job's or a plan's already would never run, and its plan would wait for it for ever.
  private func checkSteps(of plan: PlanSubmission, _ turn: Turn) throws {
    if try turn.ledger.hasOutcome(plan.id) != nil {
      throw Rejection(idConflict: "job", "that one is no plan", plan)
    }
    let ids = plan.steps.map { JobID(plan: plan.id, step: $0.name) }
    let taken = try turn.ledger.states(of: ids)
    guard let index = ids.firstIndex(where: { taken[$0] != nil }) else { return }
    let message = """
      step "\(plan.steps[index].name)" would have the id \(ids[index]), and the ledger has a job or a plan of that id: \
      submit the plan with another id
      """
    throw Rejection(JobFailure(code: JobFailure.Code.idTaken, message: message), of: plan)
  }
}

extension PlanDefinition {
  /// Each step that has no payload gets this one.
  fileprivate mutating func give(_ payload: [UInt8]?) {
    for index in steps.indices where steps[index].payload == nil { steps[index].payload = payload }
  }
}

extension Rejection {
  fileprivate init(_ failure: JobFailure, of plan: PlanSubmission) {
    self.init(failure, reply: plan.reply, messageID: plan.id.description)
  }
}

extension JobFailure {
  fileprivate static func notOrdered(_ department: Department) -> JobFailure {
    JobFailure(
      code: Code.notOrdered,
      message: "a plan needs an ordered department, and \"\(department)\" is none: set `ordered: true`")
  }

  fileprivate static func planConfigured(_ name: PlanName) -> JobFailure {
    JobFailure(
      code: Code.planConfigured,
      message: "plan \"\(name)\" is in the coordinator's teller.yaml: start it with `teller plan start \(name)`")
  }

  fileprivate static func tooManyPlans(_ limit: Int) -> JobFailure {
    let message = """
      \(limit) submitted plans with a name are remembered, and no further name is taken: submit the plan without a \
      name, or under the name of an earlier one
      """
    return JobFailure(code: Code.tooManyPlans, message: message)
  }

  static func unknownPlan(_ name: PlanName, known: some Collection<PlanName>) -> JobFailure {
    let names = known.map(\.name).sorted()
    let hint = Suggestion.question(for: name.name, in: names)
    let rest = names.isEmpty ? "has no plans" : "has the plans: \(names.joined(separator: ", "))"
    return JobFailure(
      code: Code.unknownPlan, message: "there is no plan \"\(name)\"\(hint); the coordinator's teller.yaml \(rest)")
  }
}
