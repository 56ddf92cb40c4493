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

  /// The plans with re-entry of which no step is to go back: as long as their steps succeed, nothing is to be decided about
  /// them before their end.
  private var calm: Set<JobID> = []
  /// How many such plans are remembered: of any other all jobs are read at the end of a step.
  private static let calmLimit = 10_000

  func isCalm(_ plan: JobID) -> Bool { calm.contains(plan) }

  func note(_ plan: JobID, isCalm: Bool) {
    if !isCalm {
      calm.remove(plan)
    } else if calm.count < KnownRules.calmLimit {
      calm.insert(plan)
    }
  }

  /// What was read may not have been recorded.
  func forget() {
    rules.removeAll()
    calm.removeAll()
  }
}
