package import JobModel

/// What a coordinator is told before it starts.
package struct CoordinatorConfiguration: Sendable, Hashable {
  /// As `status` and `--version` tell it.
  package static let version = "0.1.0"

  package var departments: [Department: DepartmentSettings]
  package var kinds: [JobKind: KindSettings]
  /// How long a worker may be silent before its jobs are taken back.
  package var lease: Duration
  package var schedules: [CronSchedule]
  /// With at least one limit.
  package var retention: RetentionSettings
  /// What one level of priority is worth in waiting.
  package var priorityWorth: Duration
  package var plans: [PlanName: PlanSettings]
  /// Which optional events are recorded, unless a department says otherwise.
  package var notify: Set<OptionalEvent>
  /// Which changes of jobs are relayed to the watches of that moment.
  package var live: Set<LiveEvent> = []
  package var afterRestore: AfterRestore = .hold
  package var rules: [Rule]
  /// Who may do what.
  package var access: Access
  /// By name. Each has its department among the others.
  package var webhooks: [String: WebhookSettings] = [:]

  /// At least three of AMQP's heartbeats of 10 s: longer than the broker takes to drop a dead connection.
  package static let defaultLease: Duration = .seconds(45)
  package static let safeLease: Duration = .seconds(30)

  package init(
    departments: [Department: DepartmentSettings] = [:], kinds: [JobKind: KindSettings] = [:],
    lease: Duration = CoordinatorConfiguration.defaultLease, schedules: [CronSchedule] = [],
    retention: RetentionSettings = RetentionSettings(), priorityWorth: Duration = Standing.levelWorth,
    plans: [PlanName: PlanSettings] = [:], notify: Set<OptionalEvent> = OptionalEvent.usual,
    rules: [Rule] = [], access: Access = Access()
  ) {
    self.notify = notify
    self.rules = rules
    self.plans = plans
    self.access = access
    self.departments = departments
    self.kinds = kinds
    self.lease = lease
    self.schedules = schedules
    self.retention = retention.complete
    self.priorityWorth = priorityWorth
  }

  /// The department of a job that names none.
  package func department(of kind: JobKind) -> Department? {
    kinds[kind]?.department ?? Department(kind.name)
  }

  /// The kinds that it names: under `kinds:`, as those that have a department's name, and of all that makes jobs.
  package var namedKinds: Set<JobKind> {
    var named = Set(kinds.keys).union(departments.keys.compactMap { JobKind($0.name) })
    named.formUnion(schedules.map(\.kind))
    named.formUnion(rules.map(\.submit.kind))
    for plan in plans.values {
      named.formUnion(plan.definition.steps.map(\.kind))
      named.formUnion(plan.definition.events.map(\.kind))
    }
    if !webhooks.isEmpty { named.insert(WebhookSettings.kind) }
    return named
  }

  /// Which optional events are recorded.
  package var notifying: NotifySettings { NotifySettings(notify, departments: departments.compactMapValues(\.notify)) }

  /// What the coordinator does with a job of that kind that does not say otherwise.
  package func settings(of kind: JobKind) -> KindSettings { kinds[kind] ?? KindSettings() }
}
