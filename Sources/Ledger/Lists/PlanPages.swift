package import JobModel

/// Which plans to list. Nil means any.
package struct PlanFilter: Hashable, Sendable {
  package var department: Department?
  /// Ended plans, too.
  package var includesEnded: Bool
  /// Only plans with a lower acceptance number: the last one of the page before.
  package var before: Int64?
  /// At most so many plans.
  package var limit: Int

  package init(department: Department? = nil, includesEnded: Bool = false, before: Int64? = nil, limit: Int) {
    (self.department, self.includesEnded, self.before, self.limit) = (department, includesEnded, before, limit)
  }
}

/// A plan in a list.
package struct ListedPlan: Hashable, Sendable {
  package var number: Int64
  package var id: JobID
  package var department: Department
  /// Nil: it only runs.
  package var name: PlanName?
  /// Where the plans of its name stand, of the last run of its name.
  package var phase: PlanPhase?
  /// Nil while it runs.
  package var state: JobState?
  package var acceptedAt: Timestamp
  package var finishedAt: Timestamp?
  /// How many steps the ledger has, and how many of these have ended.
  package var steps: Int
  package var stepsDone: Int
}

/// Some plans of the ledger, newest first.
package struct ListedPlans: Hashable, Sendable {
  package var plans: [ListedPlan]
  /// Where the next page begins: all plans from this number on were looked at. Nil: there are no more.
  package var next: Int64?
}

extension LedgerQueries {
  /// The newest plans that pass the filter, newest first.
  ///
  /// Plans that run, and the last run of each name, are found by their indexes. With ended plans the next ``Walk/limit`` plans are looked at: a page of a
  /// department with few plans may have fewer plans than the limit, and not be the last.
  package func plans(_ filter: PlanFilter) throws -> ListedPlans {
    let found = try filter.includesEnded ? walkedPlans(filter) : openPlans(filter)
    return ListedPlans(plans: try found.numbers.map(listedPlan), next: found.next)
  }

  /// The numbers in the index are in order within one department: so each department is asked for its own newest plans.
  private func openPlans(_ filter: PlanFilter) throws -> (numbers: [Int64], next: Int64?) {
    var numbers = try (filter.department.map { [$0] } ?? departmentsWithOpenPlans()).flatMap { department in
      try statements.all(PlanLists.newestOpen, department, filter.before ?? .max, filter.limit) as [Int64]
    }
    numbers += try statements.all(PlanLists.lastOfNames, filter.before ?? .max, filter.department, filter.limit)
    let page = Array(numbers.sorted(by: >).prefix(filter.limit))
    return (page, page.count == filter.limit ? page.last : nil)
  }

  /// Each department with an open plan, found by leaping from one to the next.
  private func departmentsWithOpenPlans() throws -> [Department] {
    var departments: [Department] = []
    while departments.count < Shelf.groupLimit,
      let next: Department = try statements.first(PlanLists.nextDepartment, departments.last?.name ?? "")
    { departments.append(next) }
    return departments
  }

  private func walkedPlans(_ filter: PlanFilter) throws -> (numbers: [Int64], next: Int64?) {
    var numbers: [Int64] = []
    var (last, looked) = (Int64?.none, 0)
    try statements[PlanLists.newest].each(
      {
        $0.add(filter.before ?? .max)
        $0.add(Walk.limit)
      }
    ) { row in
      let number: Int64 = try row[0]
      (last, looked) = (number, looked + 1)
      if try filter.department.map({ try row[1] == $0 }) ?? true { numbers.append(number) }
      return numbers.count < filter.limit
    }
    return (numbers, numbers.count == filter.limit || looked == Walk.limit ? last : nil)
  }

  private func listedPlan(_ number: Int64) throws -> ListedPlan {
    let plan = try statements.first(PlanLists.plan, number) { row in
      ListedPlan(
        number: number, id: try row[0], department: try row[1], name: try row[7], phase: try row[8], state: try row[2],
        acceptedAt: try row[3],
        finishedAt: try row[4], steps: try row[5], stepsDone: try row[6])
    }
    return try known(plan, "plan number \(number) is in an index only")
  }
}

/// The statements of lists of plans.
enum PlanLists {
  static let newestOpen = """
    SELECT number FROM plan INDEXED BY plan_open
    WHERE state IS NULL AND department = ? AND number < ? ORDER BY number DESC LIMIT ?
    """
  static let nextDepartment = """
    SELECT department FROM plan INDEXED BY plan_open
    WHERE state IS NULL AND department > ? ORDER BY department LIMIT 1
    """
  static let lastOfNames = """
    SELECT number FROM plan_phase CROSS JOIN plan ON plan.id = plan_phase.run
    WHERE state IS NOT NULL AND number < ?1 AND (?2 IS NULL OR department = ?2) ORDER BY number DESC LIMIT ?3
    """
  static let newest = "SELECT number, department FROM plan WHERE number < ? ORDER BY number DESC LIMIT ?"
  static let plan = """
    SELECT id, department, state, accepted_at, finished_at,
      (SELECT count(*) FROM job INDEXED BY job_step WHERE job.plan = plan.id AND job.round > 0),
      (SELECT count(*) FROM job INDEXED BY job_step
        WHERE job.plan = plan.id AND job.round > 0 AND job.state >= 2),
      name, (SELECT phase FROM plan_phase WHERE run = plan.id)
    FROM plan WHERE number = ?
    """
}
