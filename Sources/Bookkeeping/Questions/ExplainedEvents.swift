import Decisions
import JobModel
import Ledger

/// Why nobody acts on an event that has no job.
extension Bookkeeper {
  func explainEvent(_ id: JobID) async throws(LedgerError) -> JobExplanation? {
    let known = try await ledger.read { ledger -> (event: EventRecord, phase: PlanPhase)? in
      guard let event = try ledger.event(id) else { return nil }
      return (event, try ledger.phase(of: event.plan)?.phase ?? .notStarted)
    }
    guard let (event, phase) = known else { return nil }
    return JobExplanation(
      job: event.id, state: event.state == .dismissed ? .cancelled : .held, kind: event.kind,
      department: event.department,
      reasons: [.init(of: event, phase, isConfigured: configuration.plans[event.plan] != nil)])
  }
}

extension JobExplanation.Reason {
  /// `isConfigured`: whether the configuration has the plan.
  fileprivate init(of event: EventRecord, _ phase: PlanPhase, isConfigured: Bool) {
    switch event.state {
    case .announced:
      self.init(
        hold: .event, text: Self.announced(by: event.plan, phase),
        lifts: "`teller event accept \(event.id)`, or `teller event dismiss \(event.id)`", since: event.receivedAt)
    case .kept:
      self.init(
        hold: .event, text: "plan \"\(event.plan)\" does not run, and keeps the event for its next run",
        lifts: isConfigured
          ? "`teller plan start \(event.plan)`"
          : "another submission of the plan, which is not in the coordinator's teller.yaml",
        since: event.decidedAt ?? event.receivedAt)
    default:
      self.init(hold: .ended, text: "somebody dismissed the event: nothing is done", since: event.decidedAt)
    }
  }

  /// The plan may have ended since.
  private static func announced(by plan: PlanName, _ phase: PlanPhase) -> String {
    switch phase {
    case .open: "plan \"\(plan)\" is open, and the event was announced"
    case .running: "the event was announced; plan \"\(plan)\" runs anew, and has an accepted event among its steps"
    default: "the event was announced; plan \"\(plan)\" is open no longer, and keeps an accepted event for its next run"
    }
  }
}
