/// Which events are meant: those that pass every member that is set.
///
///     EventFilter(events: ["failed"], kinds: ["login"])      // every login that has failed
///
/// An empty member is passed by every event. An event that does not have what a member asks for, such as a department that
/// was paused when `kinds` is set, does not pass it.
public struct EventFilter: Hashable, Sendable {
  /// What happened, as the wire says it, such as `failed`.
  public var events: Set<String>
  /// The departments.
  public var departments: Set<Department>
  /// The kinds of the jobs.
  public var kinds: Set<JobKind>
  /// The ids of the jobs, of plans' runs, or of events.
  public var jobs: Set<JobID>
  /// The names of the plans, of what is told about plans.
  public var plans: Set<PlanName>
  /// The names of steps and of the events of plans.
  public var names: Set<ExactText>
  /// The keys with which the jobs were submitted.
  public var keys: Set<ExactText>
  /// The codes of the errors, such as `timeout`.
  public var errors: Set<ExactText>
  /// The kinds whose jobs are not meant.
  public var exceptKinds: Set<JobKind>
  /// The departments that are not meant.
  public var exceptDepartments: Set<Department>

  /// A filter; without a member it passes every event.
  public init(
    events: Set<String> = [], departments: Set<Department> = [], kinds: Set<JobKind> = [], jobs: Set<JobID> = [],
    plans: Set<PlanName> = [], names: Set<ExactText> = [], keys: Set<ExactText> = [], errors: Set<ExactText> = [],
    exceptKinds: Set<JobKind> = [], exceptDepartments: Set<Department> = []
  ) {
    self.events = events
    self.departments = departments
    self.kinds = kinds
    self.jobs = jobs
    self.plans = plans
    self.names = names
    self.keys = keys
    self.errors = errors
    self.exceptKinds = exceptKinds
    self.exceptDepartments = exceptDepartments
  }
}

extension EventFilter {
  /// Whether a notification is meant.
  package func passes(_ notification: Notification) -> Bool {
    events.passes(notification.event) && kinds.passes(notification.kind)
      && departments.passes(notification.department) && jobs.passes(notification.job)
      && plans.passes(notification.plan) && names.passes(notification.name.map { ExactText($0) })
      && keys.passes(notification.key.map { ExactText($0) })
      && errors.passes((notification.error?.code).map { ExactText($0) }) && !exceptKinds.holds(notification.kind)
      && !exceptDepartments.holds(notification.department)
  }
}

extension Set {
  /// Whether a member of a filter lets that pass.
  package func passes(_ value: Element?) -> Bool { isEmpty || holds(value) }

  fileprivate func holds(_ value: Element?) -> Bool { value.map(contains) ?? false }
}
