import Decisions
import JobModel

/// A part of the configuration that a reload may change, beside windows and the lease. What everybody needs to come to
/// an end, such as the department of most jobs and the gates before another one, is there in every configuration.
enum ReloadPart: CaseIterable {
  case kinds, rules, webhooks, access, schedules, plans, notify, live, priorityWorth, retention
  case afterRestore

  /// How often it is drawn, beside the others.
  private var weight: Int {
    switch self {
    case .kinds, .rules: 5
    case .access, .webhooks, .plans: 4
    case .schedules, .notify: 3
    case .live, .priorityWorth, .retention, .afterRestore: 1
    }
  }

  static func some(_ world: World) -> ReloadPart {
    var draw = world.number(0...allCases.reduce(0) { $0 + $1.weight } - 1)
    for part in allCases {
      draw -= part.weight
      if draw < 0 { return part }
    }
    return .kinds
  }

  func change(_ wanted: inout CoordinatorConfiguration, _ world: World) {
    switch self {
    case .kinds: wanted.changeKinds(world)
    case .rules: wanted.changeRules(world)
    case .webhooks: wanted.changeWebhooks(world)
    case .access: wanted.changeAccess(world)
    case .schedules: wanted.changeSchedules(world)
    case .plans: wanted.changePlans(world)
    case .notify: wanted.changeNotify(world)
    case .live: wanted.live = Set(LiveEvent.allCases.filter { _ in world.chance(50) })
    case .priorityWorth: wanted.priorityWorth = .seconds(world.number(1...120))
    case .retention: wanted.changeRetention(world)
    case .afterRestore: wanted.afterRestore = world.chance(50) ? .run : .hold
    }
  }
}

extension CoordinatorConfiguration {
  // MARK: What is told, and what is kept

  fileprivate mutating func changeNotify(_ world: World) {
    notify = Set(OptionalEvent.allCases.filter { _ in world.chance(50) })
    let own = Set(OptionalEvent.ofDepartments.sorted { $0.rawValue < $1.rawValue }.filter { _ in world.chance(50) })
    departments[Departments.ahead]?.notify = world.chance(50) ? own : nil
  }

  /// Nothing is old enough in a schedule: nearly all rules read what would be removed.
  fileprivate mutating func changeRetention(_ world: World) {
    retention.time = .seconds(world.number(50_000...900_000))
    retention.size = world.chance(50) ? Int64(world.number(1...9)) << 30 : nil
    retention.subscribers = .seconds(world.number(10...60))
  }

  // MARK: Kinds

  /// The kinds of which nobody has said how they shall end, with settings that may end them.
  private static let free: [JobKind] = ["alert", "tick"]
  /// Kinds whose jobs say themselves what has to be said, so that they need no settings.
  private static let clear: [JobKind] = ["flaky", "keyed", "long"]

  fileprivate mutating func changeKinds(_ world: World) {
    switch world.number(0...5) {
    case 0...1:
      for kind in HandlerKinds.sorted where world.chance(50) {
        kinds[kind]?.retry = CoordinatorConfiguration.retry(world)
      }
    case 2: kinds["alert"]?.department = world.some(of: [Departments.work, Departments.ahead])
    case 3:
      for kind in CoordinatorConfiguration.free {
        kinds[kind]?.attempts = world.number(1...2)
        kinds[kind]?.timeout = world.chance(50) ? .milliseconds(world.number(2_000...6_000)) : nil
        kinds[kind]?.startWithin = world.chance(50) ? .milliseconds(world.number(100...6_000)) : nil
      }
    case 4: if let kind = world.some(of: CoordinatorConfiguration.clear) { kinds[kind] = nil }
    default: kinds = world.usual.kinds
    }
  }

  private static func retry(_ world: World) -> RetrySettings {
    RetrySettings(
      first: .milliseconds(world.number(0...900)), factor: Double(world.number(1...3)),
      longest: .seconds(world.number(1...4)))
  }

  // MARK: Rules

  fileprivate mutating func changeRules(_ world: World) {
    switch world.number(0...4) {
    case 0: rules = []
    case 1: rules = Setting.possibleRules
    case 2: for index in rules.indices { rules[index].on.departments = [Departments.work] }
    case 3:
      // As many jobs as before, and other ones.
      for index in rules.indices {
        rules[index].submit.priority = Priority(world.number(0...9)) ?? .normal
        rules[index].submit.delay = world.chance(70) ? .milliseconds(world.number(50...2_000)) : nil
        rules[index].submit.attempts = world.number(1...3)
      }
    default: rules = world.usual.rules
    }
  }

  // MARK: Webhooks

  /// All are as usual, but for one of them.
  fileprivate mutating func changeWebhooks(_ world: World) {
    guard world.hasWebhooks, let name = world.some(of: Departments.receivers) else { return }
    webhooks = world.usual.webhooks
    for department in Departments.webhooks where departments[department] == nil {
      departments[department] = DepartmentSettings()
    }
    switch world.number(0...3) {
    case 0:
      webhooks[name] = nil
      if let department = WebhookSettings.department(of: name) { departments[department] = nil }
    case 1: webhooks[name]?.filter.kinds = [WebhookSettings.kind]
    case 2: webhooks[name]?.filter.events = ["failed"]
    default: break
    }
  }

  // MARK: Users

  /// Users may do less than usual. Workers serve what they serve, and a stranger nothing more.
  fileprivate mutating func changeAccess(_ world: World) {
    guard world.hasUsers else { return }
    access = world.usual.access
    switch world.number(0...5) {
    case 0: access.users?["client"] = UserSettings(role: .producer)
    case 1:
      // What is refused would be waited for.
      let own = Departments.all.filter { $0 == Departments.work || world.chance(60) }
      access.users?["client"] = UserSettings(role: .producer, departments: own)
    case 2: access.users?["worker"] = UserSettings(role: .submittingWorker)
    case 3: access.users?["stranger"] = world.chance(50) ? nil : UserSettings(role: .monitor)
    // One whom nobody knows, until the next change.
    case 4: access.users?["newcomer"] = UserSettings(role: .operator)
    default: break
    }
  }

  // MARK: Schedules

  fileprivate mutating func changeSchedules(_ world: World) {
    schedules = (world.chance(40) ? Setting.scheduleNames : ["tick"]).compactMap(Setting.schedule)
    guard world.chance(70) else { return }
    for index in schedules.indices {
      schedules[index].department = world.some(of: [Departments.work, Departments.ahead])
      schedules[index].priority = Priority(world.number(0...9))
      schedules[index].attempts = world.number(1...3)
      schedules[index].missed = world.some(of: MissedRuns.allCases) ?? .once
    }
  }

  // MARK: Plans

  /// The plan has its gate, and as many steps at least as ever.
  fileprivate mutating func changePlans(_ world: World) {
    guard let usual = world.usual.plans[Opening.name], var plan = plans[Opening.name] else { return }
    switch world.number(0...4) {
    case 0: plan.startOn = plan.startOn == .open ? .command : .open
    case 1:
      let more = (1...world.number(1...2)).map { number in
        PlanStep(name: "more\(number)", kind: "step", rank: world.number(1...3), attempts: 8)
      }
      plan.definition.steps = usual.definition.steps + more
    case 2:
      let whenOpen = world.some(of: PlanEvent.WhenOpen.allCases) ?? .run
      plan.definition.events = [PlanEvent(Opening.event, rank: world.number(1...3), kind: "step", whenOpen: whenOpen)]
    case 3: plan.definition.gates = [Departments.behind, Departments.ahead]
    default: plan = usual
    }
    plans[Opening.name] = plan
  }
}
