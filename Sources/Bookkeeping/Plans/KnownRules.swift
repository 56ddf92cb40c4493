import Decisions
import JobModel
import Ledger

/// The rules of the plans that were looked at last. The rules of a run do not change, and each end of a step needs them.
final class KnownRules {
  private var rules: [JobID: PlanRules] = [:]
  /// How many plans are remembered.
  private static let limit = 64

  /// Nil: every step of the plan is required, and it goes on in the order of its steps.
  func rules(of plan: JobID, _ ledger: LedgerTransaction) throws -> PlanRules? {
    if let known = rules[plan] { return known }
    guard let read = try ledger.rules(ofPlan: plan) else { return nil }
    if rules.count >= KnownRules.limit, let any = rules.keys.first { rules[any] = nil }
    rules[plan] = read
    return read
  }

  /// What was read may not have been recorded.
  func forget() { rules.removeAll() }
}
