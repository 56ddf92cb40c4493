package import JobModel

/// What keeps a running coordinator from a part of the configuration that is wanted. A pure value.
package struct ConfigurationObstacles: Hashable, Sendable {
  /// The new departments that a coordinator cannot have now: the broker refuses the queue, or the department is to be
  /// ordered and holds too many jobs without a place in an order.
  package var leftOut: Set<Department>

  package init(leftOut: Set<Department> = []) { self.leftOut = leftOut }

  /// What is left of the wanted configuration when these departments are not there.
  ///
  /// - No department is removed: one of those may be another one's new name, and its jobs must go on.
  /// - A kind of such a department stays as it was. A new kind stays in its department: its jobs are refused, and the
  ///   submitter reads which department is missing.
  /// - A schedule for such a department stays as it was. A new one is left out: nobody would see that each of its firings
  ///   is refused.
  /// - A plan of such a department, or with such a gate, stays as it was. A new one is left out.
  func reachable(
    _ wanted: CoordinatorConfiguration, from old: CoordinatorConfiguration
  ) -> CoordinatorConfiguration {
    if leftOut.isEmpty { return wanted }
    var new = wanted
    for department in leftOut { new.departments[department] = nil }
    new.departments.merge(old.departments) { wanted, _ in wanted }
    for (kind, settings) in wanted.kinds where settings.department.map(leftOut.contains) == true {
      if let old = old.kinds[kind] { new.kinds[kind] = old }
    }
    new.schedules = wanted.schedules.compactMap { schedule in
      guard let department = schedule.department ?? new.department(of: schedule.kind), leftOut.contains(department)
      else { return schedule }
      return old.schedules.first { $0.name == schedule.name }
    }
    new.leavePlans(as: old) { plan in
      leftOut.contains(plan.department) || plan.gates.contains(where: leftOut.contains)
    }
    return new
  }

  /// What is left as it was besides, each for people.
  package func kept(_ wanted: CoordinatorConfiguration, from old: CoordinatorConfiguration) -> [String] {
    if leftOut.isEmpty { return [] }
    let departments = old.departments.keys.filter { wanted.departments[$0] == nil }.sorted()
    return departments.map { "department \($0): removed" } + reachable(wanted, from: old).changes(to: wanted.plans)
  }
}
