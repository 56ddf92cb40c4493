package import JobModel

/// Where the plans of a name stand.
package struct PlanPhaseRecord: Hashable, Sendable {
  package var name: PlanName
  /// The last run; nil: the plan was stopped before there was one.
  package var run: JobID?
  package var phase: PlanPhase
  /// Whether the departments behind the plan's gates are served.
  package var areGatesOpen: Bool
  /// Whether the run was started from the configuration.
  package var isConfigured: Bool
  /// Whether the run's plan has gates.
  package var hasGates: Bool
  /// Whether the run's plan receives events.
  package var hasEvents: Bool

  /// A run begins.
  package init(name: PlanName, run plan: PlanSubmission, isConfigured: Bool) {
    (self.name, run, phase, areGatesOpen) = (name, plan.id, .running, false)
    self.isConfigured = isConfigured
    (hasGates, hasEvents) = (!plan.definition.gates.isEmpty, !plan.definition.events.isEmpty)
  }

  /// A plan of the configuration that has had no run.
  package init(notStarted name: PlanName) {
    (self.name, run, phase, areGatesOpen, isConfigured) = (name, nil, .notStarted, false, true)
    (hasGates, hasEvents) = (false, false)
  }

  fileprivate init(_ row: Cells) throws {
    (name, run, phase) = (try row[0], try row[1], try row[2])
    (areGatesOpen, isConfigured, hasGates, hasEvents) = (try row[3], try row[4], try row[5], try row[6])
  }

  fileprivate static let columns = "name, run, phase, gates_open, configured, has_gates, has_events"
}

extension LedgerTransaction {
  /// Records where the plans of a name stand.
  package func save(_ record: PlanPhaseRecord) throws {
    try statements.run(
      """
      INSERT INTO plan_phase (\(PlanPhaseRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET run = excluded.run, phase = excluded.phase, gates_open = excluded.gates_open,
        configured = excluded.configured, has_gates = excluded.has_gates, has_events = excluded.has_events
      """, record.name, record.run, record.phase, record.areGatesOpen, record.isConfigured, record.hasGates,
      record.hasEvents)
  }

  /// Records what the last run of a submitted plan names; its phase must be there.
  package func setNames(in plan: PlanName, events: [EventName], gates: [Department]) throws {
    try statements.run("DELETE FROM plan_name WHERE plan = ?", plan)
    let insert = "INSERT INTO plan_name (plan, sort, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    for event in events { try statements.run(insert, plan, PlanNames.event, event) }
    for gate in gates { try statements.run(insert, plan, PlanNames.gate, gate) }
  }

  /// The names of the plans that were submitted.
  package func submittedNames() throws -> Int {
    try statements.first("SELECT count(*) FROM plan_phase WHERE configured = 0") ?? 0
  }

  /// These plans are in the configuration now. Their names are not forgotten, though their last runs were submitted.
  package func adoptPhases(of plans: some Collection<PlanName>) throws {
    for plan in plans.sorted() {
      try statements.run("UPDATE plan_phase SET configured = 1 WHERE name = ? AND configured = 0", plan)
    }
  }

  /// Forgets the names of submitted plans whose last run ended before `time`, if nothing depends on them: no department
  /// waits at their gates, and no event waits, or comes, for them.
  func removePhases(finishedBefore time: Timestamp, limit: Int) throws {
    try statements.run(
      """
      DELETE FROM plan_phase WHERE name IN (
        SELECT plan_phase.name FROM plan_phase JOIN plan ON plan.id = plan_phase.run
        WHERE configured = 0 AND (gates_open = 1 OR has_gates = 0) AND (phase <> 'open' OR has_events = 0)
          AND finished_at < ?
          AND NOT EXISTS (
            SELECT 1 FROM event WHERE event.plan = plan_phase.name AND state IN ('kept', 'announced'))
        ORDER BY plan.number LIMIT ?)
      """, time, limit)
  }
}

extension LedgerReading {
  /// Nil: no plan of that name has been started.
  package func phase(of plan: PlanName) throws -> PlanPhaseRecord? {
    try statements.first(
      "SELECT \(PlanPhaseRecord.columns) FROM plan_phase WHERE name = ?", plan, decode: PlanPhaseRecord.init)
  }

  /// The submitted plans whose gates are shut, by name.
  package func submittedWithShutGates() throws -> [PlanPhaseRecord] {
    try statements.all(
      """
      SELECT \(PlanPhaseRecord.columns) FROM plan_phase
      WHERE configured = 0 AND has_gates = 1 AND gates_open = 0 ORDER BY name
      """, decode: PlanPhaseRecord.init)
  }

  /// The departments behind the shut gates of submitted plans, as their last runs name them.
  package func shutGates() throws -> [(plan: PlanName, gate: Department)] {
    try statements.all(PlanNames.shutGates) { (plan: try $0[0], gate: try $0[1]) }
  }

  /// The submitted plans that receive an event of that name, by their names; a run that was started from the configuration
  /// since counts no more.
  package func submittedPlans(receiving event: EventName, limit: Int) throws -> [PlanName] {
    try statements.all(PlanNames.receiving, event, limit)
  }

  /// The names of the first events that submitted plans receive; found by leaping from one to the next.
  package func submittedEvents(limit: Int) throws -> [EventName] {
    var names: [EventName] = []
    while names.count < limit, let next: EventName = try statements.first(PlanNames.nextEvent, names.last?.name ?? "") {
      names.append(next)
    }
    return names
  }
}

/// How what submitted plans name is found.
enum PlanNames {
  fileprivate static let (event, gate) = (0, 1)
  static let receiving = "SELECT plan FROM plan_name WHERE sort = 0 AND name = ? ORDER BY plan LIMIT ?"
  static let nextEvent = "SELECT name FROM plan_name WHERE sort = 0 AND name > ? ORDER BY name LIMIT 1"
  /// There are no more phases than names that are remembered.
  static let shutGates = """
    SELECT plan_phase.name, plan_name.name FROM plan_phase JOIN plan_name ON plan = plan_phase.name AND sort = 1
    WHERE configured = 0 AND has_gates = 1 AND gates_open = 0 ORDER BY plan_phase.name, plan_name.name
    """
}

extension PlanName: Cell {
  var stored: String { name }
  init(stored: String) throws { self = try known(PlanName(stored), "a plan that is no name") }
}

extension EventName: Cell {
  var stored: String { name }
  init(stored: String) throws { self = try known(EventName(stored), "an event that is no name") }
}

extension PlanPhase: Cell {
  var stored: String { rawValue }
  init(stored: String) { self.init(rawValue: stored) }
}

extension EventState: Cell {
  var stored: String { rawValue }
  init(stored: String) { self.init(rawValue: stored) }
}
