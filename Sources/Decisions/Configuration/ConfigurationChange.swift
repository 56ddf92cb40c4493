package import JobModel

/// What a running coordinator changes when it takes over another configuration. A pure value.
package struct ConfigurationChange: Hashable, Sendable {
  /// The configuration from then on.
  package private(set) var configuration: CoordinatorConfiguration
  /// What is different from then on, each for people.
  package private(set) var changes: [String] = []
  /// What would be different after a restart, and is not, each for people.
  package private(set) var left: [String] = []
  /// The departments that were not configured before, sorted.
  package let addedDepartments: [Department]

  /// How many changes the text names.
  package static let named = 30

  /// What becomes of the one configuration when the other one is wanted. `obstacles`: what keeps the coordinator from a part
  /// of it.
  package init(
    from old: CoordinatorConfiguration, to wanted: CoordinatorConfiguration,
    except obstacles: ConfigurationObstacles = ConfigurationObstacles()
  ) {
    configuration = obstacles.reachable(wanted, from: old)
    addedDepartments = configuration.departments.keys.filter { old.departments[$0] == nil }.sorted()
    leaveOrder(as: old)
    let new = configuration
    changes += SettingsChanges.named("department", old.departments, new.departments) { $0.changes(to: $1) }
    changes += SettingsChanges.named("kind", old.kinds, new.kinds) { $0.changes(to: $1) }
    changes += SettingsChanges.named("schedule", old.schedules.byName, new.schedules.byName) { $0.changes(to: $1) }
    changes += old.changes(to: new.plans)
    changes += SettingsChanges.named("rule", old.allRules.byName, new.allRules.byName) { $0.changes(to: $1) }
    changes += old.access.changes(to: new.access)
    changes += SettingsChanges.value("lease", old.lease.written, new.lease.written)
    changes += SettingsChanges.value("priority_worth", old.priorityWorth.written, new.priorityWorth.written)
    changes += SettingsChanges.value("after_restore", old.afterRestore.rawValue, new.afterRestore.rawValue)
    changes += SettingsChanges.value("notify", old.notify.words, new.notify.words)
    changes += SettingsChanges.value("live", old.live.words, new.live.words)
    changes += old.retention.changes(to: new.retention).map { "retention: \($0)" }
  }

  /// A department keeps its kind of order, and what goes with it. Each held job of a department that becomes an ordered
  /// one needs a place in the order: so many rows may not be written while everybody waits. A plan of such a department
  /// stays as it was.
  private mutating func leaveOrder(as old: CoordinatorConfiguration) {
    var unordered: Set<Department> = []
    for (department, settings) in old.departments.sorted(by: { $0.key < $1.key }) {
      guard let wanted = configuration.departments[department], wanted.isOrdered != settings.isOrdered else { continue }
      configuration.departments[department] = settings
      left.append("department \(department): ordered \(settings.isOrdered) → \(wanted.isOrdered)")
      if !settings.isOrdered { unordered.insert(department) }
    }
    let plans = configuration.plans
    configuration.leavePlans(as: old) { unordered.contains($0.department) }
    left += configuration.changes(to: plans)
  }

  /// Whether nothing changes.
  package var isEmpty: Bool { changes.isEmpty }

  /// The changes on one line.
  package var text: String {
    if changes.isEmpty { return "nothing changes" }
    let more = changes.count - ConfigurationChange.named
    let shown = changes.prefix(ConfigurationChange.named) + (more > 0 ? ["and \(more) more"] : [])
    return shown.joined(separator: "; ")
  }
}

extension [Rule] {
  fileprivate var byName: [RuleName: Rule] { reduce(into: [:]) { $0[$1.name] = $1 } }
}

extension [CronSchedule] {
  fileprivate var byName: [String: CronSchedule] { reduce(into: [:]) { $0[$1.name] = $1 } }
}
