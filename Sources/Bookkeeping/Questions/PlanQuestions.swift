import Decisions
package import JobModel
package import Ledger

/// Plans and events as people see them.
extension Bookkeeper {
  /// A plan by its name, or by the id of a run; nil: there is none.
  package func showPlan(_ reference: String) async throws(LedgerError) -> PlanDetails? {
    let (configuration, clock) = (configuration, parts.time.clock)
    let running = Set(parts.releases.live.values.filter { $0.progress.visibleState == .running }.map(\.id))
    return try await ledger.read { queries in
      if let id = JobID(reference), let run = try queries.plan(id) {
        return try PlanDetails(run, of: configuration, running, by: clock, queries)
      }
      guard let name = PlanName(reference) else { return nil }
      if let run = try queries.phase(of: name)?.run.flatMap(queries.plan) {
        return try PlanDetails(run, of: configuration, running, by: clock, queries)
      }
      guard let settings = configuration.plans[name] else { return nil }
      return try PlanDetails(notStarted: settings.definition, name, queries)
    }
  }

  package func showEvent(_ id: JobID) async throws(LedgerError) -> EventStatus? {
    let clock = parts.time.clock
    return try await ledger.read { try $0.event(id)?.status }.map(clock.shown)
  }

  /// The next events, the newest first.
  package func listEvents(_ query: EventQuery) async throws(LedgerError) -> EventPage {
    let clock = parts.time.clock
    let listed = try await ledger.read {
      try $0.events(of: query.plan, state: query.state, before: query.before, limit: query.limit)
    }
    return EventPage(
      events: listed.map(clock.shown), next: listed.count == query.limit ? listed.last?.number : nil)
  }
}

extension PlanDetails {
  /// How many jobs of steps one answer names, and how many of events: the newest.
  private static let stepLimit = 2_000
  private static let eventLimit = 100

  fileprivate init(
    _ run: PlanRecord, of configuration: CoordinatorConfiguration, _ running: Set<JobID>, by clock: LedgerClock,
    _ queries: LedgerQueries
  ) throws {
    let phase = try run.name.flatMap(queries.phase)
    let isLast = phase?.run == run.id
    let rules = try queries.rules(ofPlan: run.id)
    let settings = run.name.flatMap { configuration.plans[$0] }
    let gates = settings?.definition.gates ?? (phase?.isConfigured == true ? [] : rules?.gates) ?? []
    let listed = try queries.listedJobs(
      ofPlan: run.id, limit: PlanDetails.stepLimit, eventLimit: PlanDetails.eventLimit)
    self.init(
      name: run.name, phase: isLast ? phase?.phase ?? .running : PlanPhase(of: run.outcome?.state), run: run.id,
      department: run.department,
      gates: isLast ? gates.map { Gate($0, isOpen: phase?.areGatesOpen == true) } : [],
      steps: listed.jobs.map { Step($0, rules, running) },
      events: settings?.definition.events ?? (phase?.isConfigured == true ? [] : rules?.events) ?? [],
      waitingEvents: try run.name.map(queries.waitingEvents) ?? 0, acceptedAt: clock.wallTime(of: run.acceptedAt),
      finishedAt: run.finishedAt.map(clock.wallTime), error: run.outcome?.failure)
    omittedSteps = listed.jobs.count < listed.total ? listed.total - listed.jobs.count : nil
  }

  fileprivate init(notStarted plan: PlanDefinition, _ name: PlanName, _ queries: LedgerQueries) throws {
    let phase = try queries.phase(of: name)
    self.init(
      name: name, phase: phase?.phase ?? .notStarted, run: nil, department: plan.department,
      gates: plan.gates.map { Gate($0, isOpen: phase?.areGatesOpen == true) },
      steps: plan.steps.sorted { ($0.rank, ExactText($0.name)) < ($1.rank, ExactText($1.name)) }.map {
        Step(name: $0.name, rank: $0.rank, round: 1, isRequired: $0.isRequired, kind: $0.kind)
      },
      events: plan.events, waitingEvents: try queries.waitingEvents(of: name))
  }
}

extension PlanDetails.Step {
  fileprivate init(_ job: Job, _ rules: PlanRules?, _ running: Set<JobID>) {
    let name = job.step ?? ""
    self.init(
      name: name, rank: job.order?.rank ?? 0, round: job.round ?? 1,
      isRequired: job.round != 0 && rules?.step(name)?.isRequired != false, kind: job.kind, job: job.id,
      state: job.visibleState(isRunning: running.contains(job.id)),
      error: job.outcome?.failure?.shortened(to: JobRecord.longestLineMessage))
  }
}
