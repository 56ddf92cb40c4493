package import JobModel

/// What a coordinator is told before it starts.
package struct CoordinatorConfiguration: Sendable {
  /// How one department is run.
  package struct DepartmentSettings: Sendable, Hashable {
    /// One job at a time, by rank.
    package var isOrdered: Bool
    /// How many of its jobs may be released and unfinished; of no account in an ordered department.
    package var window: Int

    package init(isOrdered: Bool = false, window: Int = Window.defaultLimit) {
      self.isOrdered = isOrdered
      self.window = window
    }
  }

  /// What jobs of a kind have that do not say so themselves.
  package struct KindSettings: Sendable, Hashable {
    package var department: Department?
    package var attempts: Int?

    package init(department: Department? = nil, attempts: Int? = nil) {
      self.department = department
      self.attempts = attempts
    }
  }

  package var departments: [Department: DepartmentSettings]
  package var kinds: [JobKind: KindSettings]
  /// How long a worker may be silent before its jobs are taken back.
  package var lease: Duration

  /// At least three of AMQP's heartbeats of 10 s: longer than the broker takes to drop a dead connection.
  package static let defaultLease: Duration = .seconds(45)
  package static let safeLease: Duration = .seconds(30)

  package init(
    departments: [Department: DepartmentSettings], kinds: [JobKind: KindSettings] = [:],
    lease: Duration = CoordinatorConfiguration.defaultLease
  ) {
    self.departments = departments
    self.kinds = kinds
    self.lease = lease
  }

  /// The department of a job that names none.
  func department(of kind: JobKind) -> Department? {
    kinds[kind]?.department ?? Department(kind.name)
  }
}
