import Decisions
import JobModel
import Yams

/// The parts of the file that a coordinator alone uses. Departments are read first: the other parts name them.
struct CoordinatorParts {
  typealias Block = SettingsBlock<FileKey>

  private let block: Block
  private let known: KnownDepartments
  private(set) var configuration = CoordinatorConfiguration()
  private(set) var webhookLines: [String: WebhookLines] = [:]
  /// Nil: that part of the file cannot be read. A kind with a mistake is a kind.
  private var kinds: Set<JobKind>?
  /// The kinds whose department cannot be read.
  private var isKindBroken: Set<JobKind> = []

  init(_ block: Block, _ mistakes: inout Mistakes) {
    self.block = block
    let (departments, unordered) = CoordinatorParts.departments(block, &mistakes)
    let webhooks = WebhookParts(block, &mistakes)
    known = KnownDepartments(
      names: departments.map { Set($0.keys).union(webhooks.departments) }, unordered: unordered)
    let retention = block.inner(.retention, RetentionSettings.Keys.self, &mistakes).map {
      RetentionSettings($0, &mistakes)
    }
    let limits = (lease: CoordinatorParts.leaseLimits, worth: CoordinatorParts.priorityWorthLimits)
    configuration = CoordinatorConfiguration(
      departments: departments ?? [:],
      lease: block.duration(.lease, within: limits.lease, &mistakes) ?? CoordinatorConfiguration.defaultLease,
      retention: retention ?? RetentionSettings(),
      priorityWorth: block.duration(.priorityWorth, within: limits.worth, &mistakes) ?? Standing.levelWorth)
    readKinds(&mistakes)
    read(webhooks, &mistakes)
    readSchedules(&mistakes)
    configuration.plans = PlanParts(block, known, KnownKinds(names: kinds), &mistakes).plans
    configuration.notify =
      block.notify(.notify, of: Set(OptionalEvent.allCases), &mistakes) ?? configuration.notify
    configuration.live = block.live(.live, &mistakes)
    configuration.afterRestore = block.word(.afterRestore, of: AfterRestore.self, &mistakes) ?? .hold
    readRules(&mistakes)
    readUsers(&mistakes)
  }

  /// What `lease:` may say. A worker sends its presence every two seconds: less than twice that would be no silence.
  private static let leaseLimits: ClosedRange<Duration> = .seconds(5)...(.seconds(86_400))
  /// What `priority_worth:` may say: up to a year.
  private static let priorityWorthLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))

  /// The departments, and those that are certainly not ordered. Nil: that part of the file cannot be read. A department
  /// with a mistake is a department.
  private static func departments(
    _ block: Block, _ mistakes: inout Mistakes
  ) -> ([Department: DepartmentSettings]?, unordered: Set<Department>) {
    guard let entries = block.entries(.departments, &mistakes) else { return (nil, []) }
    var (departments, unordered): ([Department: DepartmentSettings], Set<Department>) = ([:], [])
    for entry in entries {
      guard let department = Department(entry.name) else { continue }
      let before = mistakes.count
      let block = SettingsBlock<DepartmentSettings.Keys>(entry, &mistakes)
      let settings = block.map { DepartmentSettings($0, &mistakes) } ?? DepartmentSettings()
      departments[department] = settings
      if !settings.isOrdered, mistakes.count == before { unordered.insert(department) }
    }
    return (departments, unordered)
  }

  private mutating func readKinds(_ mistakes: inout Mistakes) {
    guard let entries = block.entries(.kinds, &mistakes) else { return }
    kinds = Set(entries.compactMap { JobKind($0.name) })
    for entry in entries {
      guard let kind = JobKind(entry.name), let block = SettingsBlock<KindSettings.Keys>(entry, &mistakes) else {
        continue
      }
      let settings = KindSettings(block, known, &mistakes)
      configuration.kinds[kind] = settings
      if settings.department == nil, block[.department] != nil { isKindBroken.insert(kind) }
    }
  }

  /// Each has a department of its own, which nobody else declares.
  private mutating func read(_ webhooks: WebhookParts, _ mistakes: inout Mistakes) {
    let (settings, lines) = webhooks.settings(known, &mistakes)
    (configuration.webhooks, webhookLines) = (settings, lines)
    if configuration.kinds[WebhookSettings.kind] != nil, !settings.isEmpty {
      block.note(.kinds, "\"\(WebhookSettings.kind)\" is the kind of `webhooks:`, which have its settings", &mistakes)
    }
    for (name, webhook) in settings {
      guard let department = WebhookSettings.department(of: name) else { continue }
      if configuration.departments[department] != nil {
        block.note(.departments, "\"\(department)\" is the department of the webhook \"\(name)\"", &mistakes)
      }
      configuration.departments[department] = DepartmentSettings(cap: webhook.limits.concurrency)
    }
  }

  /// A schedule without a department is a mistake: the coordinator would refuse each firing, and nobody would see it.
  private mutating func readSchedules(_ mistakes: inout Mistakes) {
    for entry in block.entries(.schedules, &mistakes) ?? [] {
      guard let block = SettingsBlock<CronSchedule.Keys>(entry, &mistakes) else { continue }
      let schedule = CronSchedule(name: entry.name, block, &mistakes)
      if let schedule { configuration.schedules.append(schedule) }
      checkDepartment(block[.department], of: block[.kind], &mistakes)
    }
    configuration.schedules.sort { $0.name < $1.name }
  }

  /// Notes that there is no department for what the coordinator submits itself: it is the one that is named, or the one
  /// of the kind.
  private func checkDepartment(_ named: Node?, of kindNode: Node?, _ mistakes: inout Mistakes) {
    if let named { return known.check(named.string.flatMap { Department($0) }, at: named, &mistakes) }
    guard let kind = kindNode?.string.flatMap({ JobKind($0) }), !isKindBroken.contains(kind),
      // The kind has a department that was checked.
      configuration.kinds[kind]?.department == nil
    else { return }
    known.check(Department(kind.name), at: kindNode, &mistakes)
  }

  private mutating func readRules(_ mistakes: inout Mistakes) {
    let parts = RuleParts(block, known, &mistakes)
    for draft in parts.drafts { checkDepartment(draft.department, of: draft.kind, &mistakes) }
    configuration.rules = parts.drafts.compactMap(\.rule)
    parts.check(configuration, &mistakes)
    let (own, all) = (configuration.rules.count, configuration.allRules.count)
    if own < all, all > Rule.limit {
      let problem = "there may be at most \(Rule.limit) rules, those of webhooks among them, not \(all)"
      block.note(.webhooks, problem, &mistakes)
    }
    for (name, webhook) in configuration.webhooks {
      for event in configuration.notRecorded(webhook.filter) {
        let problem = "\"on\": \"notify\" leaves \(event) out, and webhook \"\(name)\" would never deliver it"
        mistakes.note(line: webhookLines[name]?.on, problem)
      }
    }
  }

  /// An empty list of users is a mistake: no user could do anything.
  private mutating func readUsers(_ mistakes: inout Mistakes) {
    guard let node = block[.users], let entries = block.entries(.users, named: .user, &mistakes) else { return }
    if entries.isEmpty, node.isNothing || node.mapping?.isEmpty == true {
      block.note(.users, "it names nobody, so that nobody may do anything: name the users, or leave it out", &mistakes)
    }
    configuration.access.users = entries.reduce(into: [:]) { users, entry in
      guard let block = SettingsBlock<UserSettings.Keys>(entry, &mistakes) else { return }
      users[ExactText(entry.name)] = UserSettings(block, known, &mistakes)
    }
  }
}

extension SettingsBlock {
  /// The block of an entry.
  fileprivate init?(_ entry: (name: String, node: Node), _ mistakes: inout Mistakes) {
    self.init(entry.node, named: "\"\(entry.name)\"", &mistakes)
  }
}
