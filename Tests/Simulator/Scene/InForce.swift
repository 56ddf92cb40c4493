import AuditSupport
import Decisions
import JobModel

/// Whether a part of the usual configuration was in force when something was recorded. While the coordinator is about
/// to leave it, or to come back to it, nobody knows.
struct InForce {
  private var gaps: [(from: Moment, until: Moment?)] = []

  /// How much the clock of the ledger may differ from the one of the schedule.
  private static let tolerance: Duration = .seconds(3)

  /// The coordinator may leave it from now on.
  mutating func mayEnd(at now: Moment) { if gaps.last?.until != nil || gaps.isEmpty { gaps.append((now, nil)) } }

  /// The coordinator has it from now on.
  mutating func begins(at now: Moment) {
    if let last = gaps.indices.last, gaps[last].until == nil { gaps[last].until = now }
  }

  /// Whether it was certainly in force when the end of a job was recorded: after the job had `ended`, and before
  /// somebody was `told`.
  func holds(ended: Moment?, told: Moment?) -> Bool {
    gaps.allSatisfy { gap in
      if let told, told < gap.from { return true }
      guard let ended, let until = gap.until else { return false }
      return ended > until + InForce.tolerance
    }
  }
}

// What whoever audits the schedule has to know of its configurations. A second coordinator is none of their business.
extension World {
  /// A coordinator is to go on with that configuration, and may do so at any moment from now on.
  func mayGoOn(with configuration: CoordinatorConfiguration, _ node: CoordinatorNode) {
    guard node === coordinators.first else { return }
    if !hasUsualRule(configuration) { rulesInForce.mayEnd(at: moment) }
    if !hasUsualWebhooks(configuration) { webhooksInForce.mayEnd(at: moment) }
    for name in Departments.receivers where hasWebhooks && configuration.webhooks[name] == nil {
      webhooksAway.insert(WebhookSettings.departmentPrefix + name)
    }
  }

  /// A coordinator has that configuration from now on.
  func goesOn(with configuration: CoordinatorConfiguration, _ node: CoordinatorNode) {
    guard node === coordinators.first else { return }
    if hasUsualRule(configuration) { rulesInForce.begins(at: moment) }
    if hasUsualWebhooks(configuration) { webhooksInForce.begins(at: moment) }
  }

  /// Whether a job is made of the same failures as ever. What the job is like may be different.
  private func hasUsualRule(_ configuration: CoordinatorConfiguration) -> Bool {
    let name = Setting.rules.first?.name
    let usual = usual.rules.first { $0.name == name }?.on
    return configuration.rules.first { $0.name == name }?.on == usual
  }

  private func hasUsualWebhooks(_ configuration: CoordinatorConfiguration) -> Bool {
    configuration.webhooks.mapValues(\.filter) == usual.webhooks.mapValues(\.filter)
  }
}

extension Sometimes {
  /// A coordinator that serves goes on with another configuration.
  mutating func note(from old: CoordinatorConfiguration, to new: CoordinatorConfiguration) {
    note(.kindsChanged, if: old.kinds != new.kinds)
    note(.rulesChanged, if: old.rules != new.rules)
    note(.webhooksChanged, if: old.webhooks != new.webhooks)
    note(.accessChanged, if: old.access != new.access)
    note(.plansChanged, if: old.plans != new.plans)
  }
}
