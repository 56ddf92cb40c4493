import AuditSupport
import Decisions
import JobModel

/// Which configurations a coordinator may have had at any time. While it is about to go on with another one, nobody
/// knows.
struct PastConfigurations {
  private var spans: [(configuration: CoordinatorConfiguration, from: Moment, until: Moment?)] = []

  /// How much the clock of the ledger may differ from the one of the schedule.
  private static let tolerance: Duration = .seconds(3)

  /// The coordinator may go on with that one from now on.
  mutating func mayBegin(_ configuration: CoordinatorConfiguration, at now: Moment) {
    spans.append((configuration, now, nil))
  }

  /// The coordinator has that one, and no other, from now on.
  mutating func begins(_ configuration: CoordinatorConfiguration, at now: Moment) {
    for index in spans.indices where spans[index].until == nil { spans[index].until = now }
    spans.append((configuration, now, nil))
  }

  /// Whether a rule, or a webhook, was certainly in force when that was recorded: after the job had `ended`, and before
  /// somebody was `told`.
  func certainlyMakes(_ rule: RuleName, of notification: Notification, ended: Moment?, told: Moment?) -> Bool {
    let possible = possible(from: ended.map(PastConfigurations.before), until: told)
    return !possible.isEmpty && possible.allSatisfy { $0.makes(rule, of: notification) }
  }

  /// Whether a rule, or a webhook, was certainly not in force at that time by the ledger's clock, or not about that
  /// (nil: about anything).
  func certainlyLacks(_ rule: RuleName, of notification: Notification?, at moment: Moment) -> Bool {
    let possible = possible(from: PastConfigurations.before(moment), until: moment + PastConfigurations.tolerance)
    return !possible.isEmpty && !possible.contains { $0.makes(rule, of: notification) }
  }

  private static func before(_ moment: Moment) -> Moment { moment + (.zero - tolerance) }

  /// Those that may have been in force at some moment between these two; nil: however early, or late.
  private func possible(from start: Moment?, until end: Moment?) -> [CoordinatorConfiguration] {
    spans.filter { span in
      if let end, span.from > end { return false }
      if let start, let until = span.until, until < start { return false }
      return true
    }.map(\.configuration)
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

extension Sometimes {
  /// A coordinator that serves goes on with another configuration: the smaller parts of it.
  mutating func noteRest(from old: CoordinatorConfiguration, to new: CoordinatorConfiguration) {
    note(.schedulesChanged, if: old.schedules != new.schedules)
    note(.notifyChanged, if: old.notifying != new.notifying)
    note(.liveChanged, if: old.live != new.live)
    note(.retentionChanged, if: old.retention != new.retention)
  }
}
