package import JobModel

/// A run of a plan: its rules, and where each of its jobs stands. It decides how the run goes on. Pure.
///
///     a required step failed ─▶ shut, at once
///     all steps up to a rank have ended, and one of them goes back ─▶ go back
///     every job has ended ─▶ opened
package struct PlanRun: Hashable, Sendable {
  package let rules: PlanRules
  package private(set) var jobs: [PlanJob]

  package init(_ rules: PlanRules, jobs: [PlanJob]) { (self.rules, self.jobs) = (rules, jobs) }
}

/// How a run goes on.
package enum PlanDecision: Hashable, Sendable {
  /// Jobs have not ended, and nothing is to be done meanwhile.
  case goOn
  /// These steps run again, in these rounds.
  case goBack([PlanRound])
  /// The run ends at a step that failed or was cancelled.
  case shut(PlanShut)
  /// The run has come to its end.
  case opened
}

/// A step that is to run again.
package struct PlanRound: Hashable, Sendable {
  package var step: String
  /// Of the new job.
  package var round: Int
  /// The job of the round before.
  package var last: JobID
  /// The step, as the plan was submitted; nil: the rules do not have it.
  package var rule: PlanRules.Step?
}

/// Why a run ends before its end.
package struct PlanShut: Hashable, Sendable {
  package var step: String
  package var job: JobID
  package var state: JobState
  /// How often the step had gone back, when it may not do so once more.
  package var goneBack: Int?
}

// MARK: - How it goes on

extension PlanRun {
  package var decision: PlanDecision {
    let last = lastRounds
    for job in last where job.state.isFinal {
      if case .shuts(let shut) = verdict(on: job) { return .shut(shut) }
    }
    if let back = goingBack(last) { return back }
    return jobs.allSatisfy(\.state.isFinal) ? .opened : .goOn
  }

  /// What the end of a job means for its run.
  package enum Verdict: Hashable, Sendable {
    case fine
    /// The step is optional, and the run goes on without it.
    case passedOver
    /// The run goes back to that step.
    case goesBack(to: String)
    case shuts(PlanShut)
  }

  package func verdict(on job: PlanJob) -> Verdict {
    // A step that the rules do not have, and an event, end no run.
    guard job.state == .failed || job.state == .cancelled, !job.isEvent, let step = rules.step(job.name) else {
      return .fine
    }
    let isExpected = job.state == .failed && step.reentry?.code.isExactly(job.code) == true
    if isExpected, let reentry = step.reentry {
      if timesGoneBack(step, before: job.round) < reentry.atMost { return .goesBack(to: reentry.from) }
    }
    if !step.isRequired { return .passedOver }
    return .shuts(
      PlanShut(
        step: job.name, job: job.id, state: job.state,
        goneBack: isExpected ? timesGoneBack(step, before: job.round) : nil))
  }

  /// How often the step has had its run go back before that round.
  private func timesGoneBack(_ step: PlanRules.Step, before round: Int) -> Int {
    jobs.count {
      $0.name.isExactly(step.name) && !$0.isEvent && $0.round < round && $0.state == .failed
        && step.reentry?.code.isExactly($0.code) == true
    }
  }

  /// The last job of each step.
  private var lastRounds: [PlanJob] {
    let steps = Dictionary(grouping: jobs.filter { !$0.isEvent }) { ExactText($0.name) }
    return steps.values.compactMap { $0.max { $0.round < $1.round } }
      .sorted { ($0.rank, ExactText($0.name)) < ($1.rank, ExactText($1.name)) }
  }

  /// The steps that have the run go back, if it does.
  package var returning: [PlanJob] {
    lastRounds.filter { if case .goesBack = verdict(on: $0) { true } else { false } }
  }

  /// A run goes back when every step up to that rank has ended: two ranks at once there are not.
  private func goingBack(_ last: [PlanJob]) -> PlanDecision? {
    let returning = last.compactMap { job -> (job: PlanJob, from: String)? in
      guard case .goesBack(let from) = verdict(on: job) else { return nil }
      return (job, from)
    }
    guard let rank = returning.map(\.job.rank).max(),
      last.allSatisfy({ $0.rank > rank || $0.state.isFinal })
    else { return nil }
    let again = returning.reduce(into: Set<ExactText>()) { $0.formUnion(steps(from: $1.from, to: $1.job.name)) }
    return .goBack(
      // A step that an operator has moved may not have run yet: it has its turn before it.
      last.filter { again.contains(ExactText($0.name)) && $0.state.isFinal }
        .map { PlanRound(step: $0.name, round: $0.round + 1, last: $0.id, rule: rules.step($0.name)) })
  }

  /// A step, every step whose rank lies between, and the step that goes back.
  private func steps(from first: String, to last: String) -> Set<ExactText> {
    let ends: Set<ExactText> = [ExactText(first), ExactText(last)]
    guard let start = rules.step(first)?.rank, let end = rules.step(last)?.rank else { return [ExactText(last)] }
    return ends.union(rules.steps.filter { start < $0.rank && $0.rank < end }.map { ExactText($0.name) })
  }
}

extension PlanPhase {
  /// The phase of a plan whose last run has that outcome; nil: it runs.
  package init(of state: JobState?) {
    self =
      switch state {
      case .succeeded: .open
      case .failed: .failed
      case .cancelled: .stopped
      case .held, .queued, .running, nil: .running
      }
  }
}
