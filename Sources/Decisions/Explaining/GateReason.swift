import JobModel

// The reason of a job whose department waits for a plan.
extension Explanation {
  /// The plan that the department waits for; of several plans the first by name.
  var gate: Reason? {
    guard let gate = gates.first else { return nil }
    let others = gates.count > 1 ? ", and for \(gates.count - 1) more" : ""
    let other = gate.otherWay.map { "; \($0)" } ?? ""
    return Reason(
      hold: .gate, text: "its department waits until plan \"\(gate.plan)\" is open, \(gate.standing)\(others)\(other)",
      lifts: gate.lifts)
  }
}

extension Explanation.Gate {
  fileprivate var standing: String {
    switch phase {
    case .running: "which runs"
    case .failed: "which has failed"
    case .stopped: "which was stopped"
    default: "which has not been started"
    }
  }

  /// One command: a plan that was submitted cannot be started by its name.
  fileprivate var lifts: String {
    if phase == .running {
      return "the end of its steps and events, if the required steps succeed; `teller plan show \(plan)`"
    }
    return isConfigured ? "`teller plan start \(plan)`" : opening
  }

  /// How else the hold ends.
  fileprivate var otherWay: String? {
    if phase == .running { return nil }
    return isConfigured
      ? "\(opening) serves it without the plan"
      : "the plan is not in the coordinator's teller.yaml: submit it again, or have the department served without it"
  }

  private var opening: String { "`teller plan stop \(plan) --gates open`" }
}
