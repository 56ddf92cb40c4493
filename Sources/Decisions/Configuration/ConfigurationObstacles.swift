package import JobModel

/// What keeps a running coordinator from a part of the configuration that is wanted. It is about new departments alone. A
/// pure value.
package struct ConfigurationObstacles: Hashable, Sendable {
  /// The departments whose queue the broker does not give.
  package var refused: Set<Department>
  /// The departments that are to be ordered, and hold too many jobs without a place in an order.
  package var crowded: Set<Department>

  package init(refused: Set<Department> = [], crowded: Set<Department> = []) {
    (self.refused, self.crowded) = (refused, crowded)
  }

  /// What is left of the wanted configuration when the refused departments are not there.
  ///
  /// - A kind of such a department stays as it was. A new kind stays in its department: its jobs are refused, and the
  ///   submitter reads which department is missing.
  /// - A schedule for such a department stays as it was. A new one is left out: nobody would see that each of its firings
  ///   is refused.
  func reachable(
    _ wanted: CoordinatorConfiguration, from old: CoordinatorConfiguration
  ) -> CoordinatorConfiguration {
    if refused.isEmpty { return wanted }
    var new = wanted
    for department in refused { new.departments[department] = nil }
    for (kind, settings) in wanted.kinds where settings.department.map(refused.contains) == true {
      if let old = old.kinds[kind] { new.kinds[kind] = old }
    }
    new.schedules = wanted.schedules.compactMap { schedule in
      guard let department = schedule.department ?? new.department(of: schedule.kind), refused.contains(department)
      else { return schedule }
      return old.schedules.first { $0.name == schedule.name }
    }
    return new
  }
}
