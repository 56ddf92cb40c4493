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

  package init(name: PlanName, run: JobID?, phase: PlanPhase, areGatesOpen: Bool, isConfigured: Bool) {
    (self.name, self.run, self.phase) = (name, run, phase)
    (self.areGatesOpen, self.isConfigured) = (areGatesOpen, isConfigured)
  }
}

extension LedgerTransaction {
  /// Records where the plans of a name stand.
  package func save(_ record: PlanPhaseRecord) throws {
    try statements.run(
      """
      INSERT INTO plan_phase (name, run, phase, gates_open, configured) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET run = excluded.run, phase = excluded.phase, gates_open = excluded.gates_open,
        configured = excluded.configured
      """, record.name, record.run, record.phase, record.areGatesOpen, record.isConfigured)
  }
}

extension LedgerReading {
  /// Nil: no plan of that name has been started.
  package func phase(of plan: PlanName) throws -> PlanPhaseRecord? {
    try statements.first("SELECT \(Phases.columns) FROM plan_phase WHERE name = ?", plan, decode: Phases.record)
  }

  /// All plans that have a name and have been started, by name.
  package func planPhases() throws -> [PlanPhaseRecord] {
    try statements.all("SELECT \(Phases.columns) FROM plan_phase ORDER BY name", decode: Phases.record)
  }
}

private enum Phases {
  static let columns = "name, run, phase, gates_open, configured"

  static func record(_ row: Cells) throws -> PlanPhaseRecord {
    PlanPhaseRecord(
      name: try row[0], run: try row[1], phase: try row[2], areGatesOpen: try row[3], isConfigured: try row[4])
  }
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
