import Decisions
import JobModel
import Ledger

/// The plan that receives an event, and where it stands.
struct EventReceiver {
  var plan: PlanName
  var event: PlanEvent
  /// Where the event is acted on.
  var department: Department
  var phase: PlanPhase
  /// The last run; nil: there was none.
  var run: PlanRecord?
}

/// Which plan receives an event: by the event's name, or as its sender says.
struct EventReceivers {
  let configuration: CoordinatorConfiguration
  let rules: KnownRules

  /// - Throws: `Rejection`: no plan receives the event, or several do.
  func receiver(of event: EventSubmission, by pass: Pass, _ turn: Turn) throws -> EventReceiver {
    let plans = try event.plan.map { [$0] } ?? receivers(turn)
    var found = try plans.compactMap { try receiver(of: event.name, in: $0, turn) }
    // Nobody takes an event from the coordinator's own plans by submitting another plan.
    if let own = found.first(where: { configuration.plans[$0.plan] != nil }) { found = [own] }
    if found.count == 1 { return found[0] }
    try pass.requireSubmitting(nil, event.id, event.reply)
    let failure =
      found.isEmpty
      ? JobFailure.unknownEvent(event.name, try knownEvents(of: plans, turn))
      : .ambiguousEvent(event.name, found.map(\.plan))
    throw Rejection(failure, reply: event.reply, messageID: event.id.description)
  }

  /// Every plan of the configuration, and those that were submitted.
  private func receivers(_ turn: Turn) throws -> [PlanName] {
    Set(configuration.plans.keys).union(try turn.ledger.submittedWithEvents()).sorted()
  }

  /// Nil: that plan receives no such event.
  func receiver(of name: EventName, in plan: PlanName, _ turn: Turn) throws -> EventReceiver? {
    let record = try turn.ledger.phase(of: plan)
    let run = try record?.run.flatMap(turn.ledger.plan)
    // While it runs, its events are among its steps; later they go where the file says by then.
    let present = record?.phase == .running ? run?.department : nil
    guard let event = try events(of: plan, record, turn).first(where: { $0.name == name }),
      let department = present ?? configuration.plans[plan]?.definition.department ?? run?.department
    else { return nil }
    return EventReceiver(
      plan: plan, event: event, department: department, phase: record?.phase ?? .notStarted, run: run)
  }

  /// As the configuration says now; else as the last run was submitted.
  private func events(of plan: PlanName, _ record: PlanPhaseRecord?, _ turn: Turn) throws -> [PlanEvent] {
    if let settings = configuration.plans[plan] { return settings.definition.events }
    // It was taken out of the configuration.
    if record?.isConfigured == true { return [] }
    return try record?.run.flatMap { try rules.rules(of: $0, turn.ledger) }?.events ?? []
  }

  private func knownEvents(of plans: [PlanName], _ turn: Turn) throws -> [EventName] {
    try plans.flatMap { try events(of: $0, try turn.ledger.phase(of: $0), turn).map(\.name) }
  }
}
