import AuditSupport
import Decisions
import JobModel

/// The configurations of a coordinator, each with when it may have been in force: since the coordinator was to go on
/// with it, and until the coordinator certainly went on with another one. Meanwhile it may have either.
///
/// What is recorded as an event is held against the numbers of events, as long as no ledger was rolled back: so neither
/// clocks matter, nor how late an event is told.
struct InForce {
  struct Span {
    let configuration: CoordinatorConfiguration
    let from: Moment
    fileprivate(set) var until: Moment?
    /// It counts for events behind this one, up to the last one; nil: it may still count.
    fileprivate var after: Int64
    fileprivate var last: Int64?
  }

  private(set) var spans: [Span] = []

  /// The coordinator may have it from now on. `event`: the last one that is recorded; nil: nobody knows.
  mutating func mayBegin(_ configuration: CoordinatorConfiguration, at now: Moment, after event: Int64?) {
    spans.append(Span(configuration: configuration, from: now, after: event ?? 0))
  }

  /// The coordinator has it from now on, and none of the others.
  mutating func begins(_ configuration: CoordinatorConfiguration, at now: Moment, after event: Int64?) {
    let isKnown = spans.contains { $0.until == nil && $0.configuration == configuration }
    if !isKnown { mayBegin(configuration, at: now, after: event) }
    let present = spans.lastIndex { $0.until == nil && $0.configuration == configuration }
    for index in spans.indices where index != present && spans[index].until == nil {
      spans[index].until = now
      spans[index].last = event ?? Int64.max
    }
    // The ledger of another machine may lack the last events, and uses their numbers again.
    if let present { spans[present].after = min(spans[present].after, event ?? 0) }
  }

  /// Those that may have been in force at some moment between these two.
  func present(between first: Moment, and last: Moment) -> [Span] {
    spans.filter { span in span.from <= last && span.until.map { $0 >= first } ?? true }
  }

  /// Those that may have been in force when the event of that number was recorded; nil: nobody knows which one it is.
  func configurations(atEvent number: Int64?) -> [CoordinatorConfiguration] {
    spans.filter { span in
      guard let number else { return true }
      return span.after < number && span.last.map { $0 >= number } ?? true
    }.map(\.configuration)
  }

  /// Whether a rule, or a webhook, was certainly in force when that was recorded, as that event.
  func certainlyMakes(_ rule: RuleName, of notification: Notification, atEvent number: Int64?) -> Bool {
    let possible = configurations(atEvent: number)
    return !possible.isEmpty && possible.allSatisfy { $0.makes(rule, of: notification) }
  }

  /// Whether a rule, or a webhook, was certainly not in force at that event, or not about that (nil: about anything).
  func certainlyLacks(_ rule: RuleName, of notification: Notification?, atEvent number: Int64) -> Bool {
    let possible = configurations(atEvent: number)
    return !possible.isEmpty && !possible.contains { $0.makes(rule, of: notification) }
  }
}

extension CoordinatorConfiguration {
  /// Whether a rule, or a webhook, of that name makes a job of that (nil: of anything).
  fileprivate func makes(_ name: RuleName, of notification: Notification?) -> Bool {
    allRules.contains { rule in
      rule.name == name && (notification.map { rule.on.passes($0) } ?? true)
    }
  }
}

// What whoever audits the schedule has to know of its configurations. A second coordinator is none of their business.
extension World {
  /// A coordinator is to go on with that configuration, and may do so at any moment from now on.
  func mayGoOn(with configuration: CoordinatorConfiguration, _ node: CoordinatorNode) {
    guard node === coordinators.first else { return }
    inForce.mayBegin(configuration, at: moment, after: lastEvent(of: node))
  }

  /// A coordinator has that configuration from now on.
  func goesOn(with configuration: CoordinatorConfiguration, _ node: CoordinatorNode) {
    guard node === coordinators.first else { return }
    inForce.begins(configuration, at: moment, after: lastEvent(of: node))
  }

  private func lastEvent(of node: CoordinatorNode) -> Int64? { try? node.file.reading.lastNotification() }
}

extension Sometimes {
  /// A coordinator that serves goes on with another configuration.
  mutating func note(from old: CoordinatorConfiguration, to new: CoordinatorConfiguration) {
    note(.kindsChanged, if: old.kinds != new.kinds)
    note(.rulesChanged, if: old.rules != new.rules)
    note(.webhooksChanged, if: old.webhooks != new.webhooks)
    note(.accessChanged, if: old.access != new.access)
    note(.plansChanged, if: old.plans != new.plans)
    noteRest(from: old, to: new)
  }

  /// The smaller parts of it.
  private mutating func noteRest(from old: CoordinatorConfiguration, to new: CoordinatorConfiguration) {
    note(.schedulesChanged, if: old.schedules != new.schedules)
    note(.notifyChanged, if: old.notifying != new.notifying)
    note(.liveChanged, if: old.live != new.live)
    note(.retentionChanged, if: old.retention != new.retention)
  }
}
