import JobModel

// The reason of a job whose department waits for a plan.
extension Explanation {
  /// How many plans a text names beside the first.
  private static let namedPlans = 5

  /// The plans that the department waits for. What lifts that is about the first one by name.
  var gate: Reason? {
    guard let gate = gates.first else { return nil }
    let named = gates.dropFirst().prefix(Explanation.namedPlans).map { ", and for plan \"\($0.plan)\", \($0.standing)" }
    let left = gates.count - 1 - named.count
    let others = named.joined() + (left > 0 ? ", and for \(left) more" : "")
    let other = gate.otherWay(isOnly: gates.count == 1).map { "; \($0)" } ?? ""
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

  /// How else the hold ends, or the wait for this plan, if there are others.
  fileprivate func otherWay(isOnly: Bool) -> String? {
    if phase == .running { return nil }
    return isConfigured
      ? isOnly ? "\(opening) serves it without the plan" : "\(opening) ends the wait for that plan alone"
      : "the plan is not in the coordinator's teller.yaml: submit it again, or have the department served without it"
  }

  private var opening: String { "`teller plan stop \(plan) --gates open`" }
}
