/// What a run of a plan is decided by: the plan without what its steps carry. The ledger keeps it with the run, so that
/// another configuration changes no run that has begun.
package struct PlanRules: Hashable, Sendable {
  package var steps: [Step]
  package var events: [PlanEvent]
  package var gates: [Department]

  /// One step, as far as the order and the end of the plan depend on it.
  package struct Step: Hashable, Sendable {
    @ExactText package var name: String
    package var rank: Int
    package var isRequired: Bool
    package var reentry: Reentry?
    /// Of each round; nil: as its kind says.
    package var startWithin: Duration?

    package init(
      _ name: String, rank: Int, isRequired: Bool = true, reentry: Reentry? = nil, startWithin: Duration? = nil
    ) {
      (self.name, self.rank, self.isRequired, self.reentry) = (name, rank, isRequired, reentry)
      self.startWithin = startWithin
    }
  }

  package init(steps: [Step], events: [PlanEvent] = [], gates: [Department] = []) {
    (self.steps, self.events, self.gates) = (steps, events, gates)
  }

  package init(_ plan: PlanDefinition) {
    self.init(
      steps: plan.steps.map {
        Step($0.name, rank: $0.rank, isRequired: $0.isRequired, reentry: $0.reentry, startWithin: $0.startWithin)
      },
      events: plan.events, gates: plan.gates)
  }

  package func step(_ name: String) -> Step? { steps.first { $0.name.isExactly(name) } }

  /// Whether the plan may go back.
  package var hasReentry: Bool { steps.contains { $0.reentry != nil } }
}

/// As the ledger keeps them: members that have their usual value are left out.
extension PlanRules: Codable {
  private enum CodingKeys: String, CodingKey {
    case steps, events, gates
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    steps = try members.decode([Step].self, forKey: .steps)
    events = try members.decodeIfPresent([PlanEvent].self, forKey: .events) ?? []
    gates = try members.decodeIfPresent([Department].self, forKey: .gates) ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(steps, forKey: .steps)
    if !events.isEmpty { try members.encode(events, forKey: .events) }
    if !gates.isEmpty { try members.encode(gates, forKey: .gates) }
  }
}

extension PlanRules.Step: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, rank, required
    case reentry = "reenter"
    case startWithin = "start_within_ms"
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    name = try members.decode(String.self, forKey: .name)
    rank = try members.decode(Int.self, forKey: .rank)
    isRequired = try members.decodeIfPresent(Bool.self, forKey: .required) ?? true
    reentry = try members.decodeIfPresent(Reentry.self, forKey: .reentry)
    startWithin = try members.decodeIfPresent(Int64.self, forKey: .startWithin).map { .milliseconds($0) }
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encode(rank, forKey: .rank)
    if !isRequired { try members.encode(false, forKey: .required) }
    try members.encodeIfPresent(reentry, forKey: .reentry)
    try members.encodeIfPresent(startWithin?.milliseconds, forKey: .startWithin)
  }
}
