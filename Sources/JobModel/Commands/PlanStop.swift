/// A plan that was stopped, and what became of the jobs behind its gates.
public struct PlanStop: Hashable, Sendable {
  /// The plan.
  public var plan: PlanName
  /// Where the plan stood before.
  public var before: PlanPhase
  /// How many steps were cancelled.
  public var cancelledSteps: Int
  /// What was done with the jobs behind the gates.
  public var gates: GateChoice
  /// The departments behind the gates.
  public var departments: [Department]
  /// Those of them that another plan holds back, too: their jobs wait for that one, whatever was chosen here.
  public var stillGated: [Department]
  /// The commands that cancel the jobs of these departments; empty unless that was asked for.
  public var operations: [Int64]

  package init(
    plan: PlanName, before: PlanPhase, cancelledSteps: Int, gates: GateChoice, departments: [Department],
    stillGated: [Department] = [], operations: [Int64]
  ) {
    (self.plan, self.before, self.cancelledSteps) = (plan, before, cancelledSteps)
    (self.gates, self.departments, self.stillGated) = (gates, departments, stillGated)
    self.operations = operations
  }
}

/// What becomes of the jobs behind the gates of a plan that is stopped.
public enum GateChoice: String, Hashable, Sendable, Codable, CaseIterable {
  /// The gates are shut: jobs wait for the next run of the plan.
  case keep
  /// The gates are open: jobs are served.
  case open
  /// The gates are shut, and the jobs that wait or run there now are cancelled.
  case cancel
}

extension PlanStop: Codable {
  enum CodingKeys: String, CodingKey {
    case plan, before, gates, departments, operations
    case cancelledSteps = "cancelled_steps"
    case stillGated = "still_gated"
  }
}
