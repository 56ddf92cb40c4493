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

  /// How many plans, or events, of those that were submitted are looked at, and named, where it is not clear which is meant.
  static let namedLimit = 20

  /// - Throws: `Rejection`: no plan receives the event, or several do.
  func receiver(of event: EventSubmission, by pass: Pass, _ turn: Turn) throws -> EventReceiver {
    let found = try candidates(for: event, turn).compactMap { try receiver(of: event.name, in: $0, turn) }
    if found.count == 1 { return found[0] }
    try pass.requireSubmitting(nil, event.id, event.reply)
    let failure =
      found.isEmpty
      ? JobFailure.unknownEvent(event.name, try knownEvents(for: event, turn))
      : .ambiguousEvent(event.name, found.map(\.plan))
    throw Rejection(failure, reply: event.reply, messageID: event.id.description)
  }

  /// The plans that may receive it, found by the name of the event, however many plans there are. Nobody takes an event from
  /// the coordinator's own plans by submitting another plan.
  private func candidates(for event: EventSubmission, _ turn: Turn) throws -> [PlanName] {
    if let plan = event.plan { return [plan] }
    let own = configuration.plans.filter { $1.definition.event(event.name) != nil }.keys.min()
    return try own.map { [$0] }
      ?? turn.ledger.submittedPlans(receiving: event.name, limit: EventReceivers.namedLimit)
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

  private func knownEvents(for event: EventSubmission, _ turn: Turn) throws -> [EventName] {
    if let plan = event.plan { return try events(of: plan, turn.ledger.phase(of: plan), turn).map(\.name) }
    return try configuration.plans.values.flatMap { $0.definition.events.map(\.name) }
      + turn.ledger.submittedEvents(limit: EventReceivers.namedLimit)
  }
}
