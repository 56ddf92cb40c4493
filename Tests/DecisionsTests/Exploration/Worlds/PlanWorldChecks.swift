@testable import Decisions
@testable import JobModel

// What must never be.

extension PlanWorld {
  var violation: String? { wrong ?? twoRanks ?? tooOften ?? lostEvent ?? falseRun ?? falseEnd ?? falseGate }

  private var twoRanks: String? {
    Set(released.map(\.group) + void).count > 1 ? "two ranks at once" : nil
  }

  private var tooOften: String? {
    for (step, count) in Dictionary(grouping: jobs.filter { $0.run == run && !$0.job.isEvent }, by: \.job.name)
    where count.count > allowed[step] ?? 1 { return "a step ran again although the plan had not gone back" }
    let unmoved = jobs.filter { !$0.job.isEvent && !$0.wasMoved }
    if unmoved.contains(where: { setting.rules.step($0.job.name)?.rank != $0.job.rank }) {
      return "a step that nobody has moved has another rank"
    }
    return nil
  }

  private var lostEvent: String? {
    for (index, event) in events.enumerated() {
      let rows = jobs.count { $0.job.id == PlanWorld.eventIDs[index] }
      if event.ends > 1 || rows > 1 { return "an event was acted on twice" }
      if (event.state == .acted) != (rows == 1) { return "an event was lost" }
    }
    let isOver = phase != .running && phase != .open
    if isOver, unfinished.contains(where: { $0.job.isEvent && !$0.wasReleased }) {
      return "an event that nobody has begun waits in a run that is over"
    }
    return nil
  }

  /// How a run goes on that is under way.
  private var falseRun: String? {
    guard phase == .running else { return nil }
    if unfinished.contains(where: { $0.run < run && $0.job.state == .held }) {
      return "an event of an earlier run holds up the run"
    }
    for job in last.values where job.state == .failed || job.state == .cancelled {
      guard setting.rules.step(job.name)?.isRequired == true else { continue }
      if !isReturning(job) || timesGone(job.name) > limit(of: job.name) {
        return "a run goes on without a required step"
      }
    }
    return nil
  }

  /// How a run ended that is over.
  private var falseEnd: String? {
    guard run > 0, phase != .running else { return nil }
    let last = self.last.values
    if last.contains(where: { !$0.state.isFinal }) { return "a run is over, and steps are not" }
    let required = last.filter { setting.rules.step($0.name)?.isRequired == true }
    if phase == .open, required.contains(where: { $0.state != .succeeded }) {
      return "a plan is open without a required step"
    }
    if phase == .failed, !required.contains(where: { $0.state == .failed }) { return "a plan failed for nothing" }
    let isStopped = required.contains { $0.code == PlanWorld.cancelled }
    if phase == .stopped, !isStopAsked, !isStopped { return "a plan was stopped for nothing" }
    if isStopped, phase != .stopped { return "a plan without a required step is not stopped" }
    for step in setting.rules.steps where timesGone(step.name) > limit(of: step.name) + 1 {
      return "a plan went back too often"
    }
    return nil
  }

  private func isReturning(_ job: PlanJob) -> Bool {
    job.state == .failed && setting.rules.step(job.name)?.reentry?.code == job.code
  }

  private func timesGone(_ step: String) -> Int {
    jobs.count { $0.run == run && $0.job.name == step && !$0.job.isEvent && isReturning($0.job) }
  }

  private func limit(of step: String) -> Int { setting.rules.step(step)?.reentry?.atMost ?? 0 }

  /// The gates are as the phase and the operator say, and not as somebody remembers them.
  private var falseGate: String? {
    let mayServe = phase == .open || areGatesOpened
    return mayServe && !counter.isOpen ? "customers wait at a gate that is open" : nil
  }
}

// MARK: - When something is released

extension PlanWorld {
  /// Whether a group begins before its turn.
  func problem(ofReleasing group: OrderGroup) -> String? {
    guard group.plan == Int64(run) else { return nil }
    if unfinished.contains(where: { $0.run == run && $0.job.rank < group.rank }) { return "a rank began too early" }
    guard phase == .running else { return nil }
    let now = planRun
    let isBefore = last.values.contains { $0.rank < group.rank && now.isReturning($0) }
    return isBefore ? "a rank began before the plan had gone back" : nil
  }

  /// Whether a customer is let in who should wait.
  var problemOfServing: String? {
    phase == .open || areGatesOpened ? nil : "a customer was let in while the gate should be shut"
  }
}
