package import JobModel

/// What a coordinator is told before it starts.
package struct CoordinatorConfiguration: Sendable {
  /// As `status` and `--version` tell it.
  package static let version = "0.1.0"

  /// How one department is run.
  package struct DepartmentSettings: Sendable, Hashable {
    /// One job at a time, by rank.
    package var isOrdered: Bool
    /// How many of its jobs may be released and unfinished; of no account in an ordered department.
    package var window: Int
    /// How many of its jobs may run at once, in all workers together; nil: as many as there are tellers.
    package var cap: Int?

    package init(isOrdered: Bool = false, window: Int = Window.defaultLimit, cap: Int? = nil) {
      self.isOrdered = isOrdered
      self.window = window
      self.cap = cap
    }
  }

  /// What jobs of a kind have that do not say so themselves.
  package struct KindSettings: Sendable, Hashable {
    package var department: Department?
    package var attempts: Int?
    /// How long one attempt may run; nil: as long as it takes.
    package var timeout: Duration?
    /// How long after its acceptance the first attempt must have begun; nil: at any time.
    package var startWithin: Duration?
    package var retry: RetrySettings

    package init(
      department: Department? = nil, attempts: Int? = nil, timeout: Duration? = nil, startWithin: Duration? = nil,
      retry: RetrySettings = RetrySettings()
    ) {
      self.department = department
      self.attempts = attempts
      self.timeout = timeout
      self.startWithin = startWithin
      self.retry = retry
    }
  }

  /// For how long, or up to what size, the ledger keeps what has ended.
  package struct Retention: Sendable, Hashable {
    /// Nil: only the size counts.
    package var time: Duration?
    /// In bytes; nil: only the time counts.
    package var size: Int64?

    package static let defaultTime: Duration = .seconds(7 * 86_400)

    package init(time: Duration? = defaultTime, size: Int64? = nil) {
      self.time = time
      self.size = size
    }
  }

  package var departments: [Department: DepartmentSettings]
  package var kinds: [JobKind: KindSettings]
  /// How long a worker may be silent before its jobs are taken back.
  package var lease: Duration
  package var schedules: [CronSchedule]
  package var retention: Retention
  /// What one level of priority is worth in waiting.
  package var priorityWorth: Duration
  /// Who may do what.
  package var access: Access

  /// At least three of AMQP's heartbeats of 10 s: longer than the broker takes to drop a dead connection.
  package static let defaultLease: Duration = .seconds(45)
  package static let safeLease: Duration = .seconds(30)

  package init(
    departments: [Department: DepartmentSettings], kinds: [JobKind: KindSettings] = [:],
    lease: Duration = CoordinatorConfiguration.defaultLease, schedules: [CronSchedule] = [],
    retention: Retention = Retention(), priorityWorth: Duration = Standing.levelWorth,
    access: Access = Access()
  ) {
    self.access = access
    self.departments = departments
    self.kinds = kinds
    self.lease = lease
    self.schedules = schedules
    self.retention = retention
    self.priorityWorth = priorityWorth
  }

  /// The department of a job that names none.
  package func department(of kind: JobKind) -> Department? {
    kinds[kind]?.department ?? Department(kind.name)
  }

  /// What the coordinator does with a job of that kind that does not say otherwise.
  package func settings(of kind: JobKind) -> KindSettings { kinds[kind] ?? KindSettings() }
}
