package import JobModel

/// What is known of the steps of all plans.
package struct KnownSteps: Hashable, Sendable {
  /// The names of those without which a plan may succeed.
  package var optional: Set<String>
  /// The code on which a step has its plan go back.
  package var reentry: String
  /// The names of the steps that do: they fail with nothing else.
  package var goingBack: Set<String>

  package init(optional: Set<String>, reentry: String, goingBack: Set<String> = []) {
    (self.optional, self.reentry, self.goingBack) = (optional, reentry, goingBack)
  }
}

/// The rules of plans, by what is recorded of their steps.
package struct PlanRules {
  package let ledger: LedgerFindings
  package let known: KnownSteps

  private var steps: [JobID: [LedgerFindings.Job]] {
    ledger.jobs.values.reduce(into: [:]) { steps, job in
      if let plan = job.plan, job.round != 0 { steps[plan, default: []].append(job) }
    }
  }

  /// Plans that failed although no step failed that they need.
  package var groundless: [JobID] {
    let steps = steps
    return ledger.plans.filter { plan, state in
      state == LedgerState.failed
        && !steps[plan, default: []].contains {
          $0.state == LedgerState.failed && !known.optional.contains($0.step ?? "")
        }
    }.map(\.key)
  }

  /// Plans that succeeded although a step that they need has not, in its last round.
  package var unfounded: [JobID] {
    let steps = steps
    return ledger.plans.filter { plan, state in
      let last = Dictionary(grouping: steps[plan, default: []]) { $0.step ?? "" }
        .compactMapValues { $0.max { $0.round ?? 0 < $1.round ?? 0 } }
      return state == LedgerState.succeeded
        && last.contains { !known.optional.contains($0.key) && $0.value.state != LedgerState.succeeded }
    }.map(\.key)
  }

  /// Steps that had their plan go back, and are left to somebody.
  package var left: [JobID] {
    let rounds = Dictionary(grouping: ledger.jobs.filter { $0.value.plan != nil }) {
      "\($0.value.plan?.description ?? "") \($0.value.step ?? "")"
    }.mapValues { $0.compactMap(\.value.round).max() ?? 0 }
    return ledger.jobs.filter { _, job in
      guard let plan = job.plan, let round = job.round, round > 0, job.errorCode == known.reentry else { return false }
      return !job.isSettled && round < rounds["\(plan) \(job.step ?? "")"] ?? 0
    }.map(\.key)
  }

  /// Steps that were tried again with the code on which their plan goes back.
  package var triedAgain: [JobID] {
    ledger.jobs.filter { _, job in
      guard job.round ?? 0 > 0 else { return false }
      let hasFailed = job.attempts.values.contains("failed") && known.goingBack.contains(job.step ?? "")
      return hasFailed || job.errorCode == known.reentry && job.attempt > 1
    }.map(\.key)
  }
}
