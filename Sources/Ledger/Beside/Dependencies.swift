package import JobModel

/// A job that another one still waits for.
package struct Dependency: Hashable, Sendable {
  package var on: JobID
  /// What becomes of the one that waits when this one does not succeed.
  package var rule: DependencyRule
  /// Whether the ledger has that job: submissions of different producers have no order among each other.
  package var isKnown: Bool

  package init(on: JobID, rule: DependencyRule, isKnown: Bool) {
    (self.on, self.rule, self.isKnown) = (on, rule, isKnown)
  }
}

/// A job that waits for another one.
package struct Dependent: Hashable, Sendable {
  package var job: Job
  /// What it waits for.
  package var on: JobID
  package var rule: DependencyRule
}

/// A part of the jobs that others wait for: those that have ended meanwhile.
package struct EndedTargets: Hashable, Sendable {
  package struct Target: Hashable, Sendable {
    package var id: JobID
    package var state: JobState
  }

  package var targets: [Target]
  /// Where the next part begins; nil when nothing follows.
  package var position: JobID?
}

extension NewJob {
  /// The jobs it waits for, each once, whatever the caller says.
  var openTargets: [JobID: Dependency] {
    Dictionary(dependencies.map { ($0.on, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension LedgerTransaction {
  /// How many jobs at most learn at once that what they wait for is known; the others are seen to know it later.
  static let markLimit = 1_000

  func insertDependencies(of new: NewJob, _ number: Int64) throws {
    for dependency in new.openTargets.values {
      try statements.run(
        "INSERT INTO dependency (job, on_id, rule, known, since) VALUES (?, ?, ?, ?, ?)",
        number, dependency.on, dependency.rule, dependency.isKnown, new.job.acceptedAt)
    }
  }

  /// Whether any job waits for the one of that id.
  package func hasDependents(_ id: JobID) throws -> Bool {
    try statements.hasRow("SELECT 1 FROM dependency WHERE on_id = ? LIMIT 1", id)
  }

  /// The id in each open dependency: nothing has to be asked about any other job.
  package func eachDependency(_ body: (JobID) -> Void) throws {
    try statements["SELECT on_id FROM dependency INDEXED BY dependency_on"].each({ _ in }) { cells in
      body(try cells[0])
      return true
    }
  }

  /// The ledger has that job now.
  ///
  /// - Returns: Whether a job waits for it that was accepted before it.
  @discardableResult
  package func markKnown(_ id: JobID) throws -> Bool {
    let changed = try statements.run(
      """
      UPDATE dependency SET known = 1 WHERE on_id = ?1 AND job IN (
        SELECT job FROM dependency WHERE on_id = ?1 AND known = 0 ORDER BY job LIMIT ?2)
      """, id, Self.markLimit)
    return changed > 0
  }

  /// The jobs that wait for a job, as they were accepted. Each is given again until its dependency has ended.
  package func dependents(of id: JobID, limit: Int) throws -> [Dependent] {
    try statements.all(
      """
      SELECT \(JobRow.columns), on_id, rule FROM dependency JOIN job ON job.number = dependency.job
      WHERE on_id = ? ORDER BY dependency.job LIMIT ?
      """, id, limit, decode: Self.dependent)
  }

  /// A job does not wait for another one any more.
  ///
  /// - Returns: How many it still waits for.
  package func endDependency(of number: Int64, on id: JobID) throws -> Int {
    let removed = try statements.run(
      "DELETE FROM dependency WHERE job = ? AND on_id = ?", number, id)
    let left: Int? = try statements.first(
      "UPDATE job SET open_dependencies = open_dependencies - ? WHERE number = ? RETURNING open_dependencies",
      removed, number)
    guard let left else { throw LedgerError.unknown(number) }
    return left
  }

  /// A job waits for nothing any more, because it has ended by another way.
  ///
  /// - Returns: What it waited for.
  @discardableResult
  package func removeDependencies(of number: Int64) throws -> [JobID] {
    let removed: [JobID] = try statements.all("DELETE FROM dependency WHERE job = ? RETURNING on_id", number)
    guard !removed.isEmpty else { return [] }
    try statements.run("UPDATE job SET open_dependencies = 0 WHERE number = ?", number)
    return removed
  }

  /// What waits, since that time or longer, for a job that the ledger does not have; the longest first. Fewer than
  /// `limit` does not mean that these are all: ask again at the next occasion.
  package func unknownDependencies(since time: Timestamp, limit: Int) throws -> [Dependent] {
    try oldestUnknown(since: time, limit: limit).filter { dependent in
      if try !isKnown(dependent.on) { return true }
      // One that was not marked yet when that job came, because too many wait for it.
      try markKnown(dependent.on)
      return false
    }
  }

  /// Whether the ledger has a job, or a plan, of that id.
  private func isKnown(_ id: JobID) throws -> Bool {
    try statements.hasRow("SELECT 1 FROM job WHERE id = ?1 UNION ALL SELECT 1 FROM plan WHERE id = ?1", id)
  }

  private func oldestUnknown(since time: Timestamp, limit: Int) throws -> [Dependent] {
    try statements.all(
      """
      SELECT \(JobRow.columns), on_id, rule FROM dependency INDEXED BY dependency_unknown
      CROSS JOIN job ON job.number = dependency.job
      WHERE known = 0 AND since <= ? ORDER BY since LIMIT ?
      """, time, limit, decode: Self.dependent)
  }

  /// The jobs, and plans, that have ended and that others still wait for: there are some after a crash between the
  /// steps of settling many. In the order of their ids, from after `position`; at most `limit` are looked at.
  package func finishedDependencyTargets(after position: JobID? = nil, limit: Int) throws -> EndedTargets {
    var targets: [EndedTargets.Target] = []
    var position = position
    for _ in 0..<limit {
      let found = try statements.first(
        """
        SELECT on_id, ifnull((SELECT state FROM job WHERE id = on_id), (SELECT state FROM plan WHERE id = on_id))
        FROM dependency INDEXED BY dependency_on
        WHERE on_id > ifnull(?, x'') ORDER BY on_id LIMIT 1
        """, position
      ) { (id: try $0[0] as JobID, state: try $0[1] as JobState?) }
      guard let found else { return EndedTargets(targets: targets, position: nil) }
      position = found.id
      if let state = found.state, state.isFinal { targets.append(EndedTargets.Target(id: found.id, state: state)) }
    }
    return EndedTargets(targets: targets, position: position)
  }

  private static func dependent(_ cells: Cells) throws -> Dependent {
    Dependent(
      job: try JobRow.job(cells), on: try cells[JobRow.next], rule: try cells[JobRow.next + 1])
  }
}

extension LedgerQueries {
  /// The jobs that a job still waits for, by id.
  package func dependencies(of number: Int64, limit: Int) throws -> [Dependency] {
    try statements.all(
      "SELECT on_id, rule, known FROM dependency WHERE job = ? ORDER BY on_id LIMIT ?", number, limit
    ) { Dependency(on: try $0[0], rule: try $0[1], isKnown: try $0[2]) }
  }
}

extension LedgerTransaction {
  /// Whether a job waits for another one, by itself or through those it waits for. So a circle is found before it is
  /// closed: what waits for itself waits for ever. Nil when nobody knows: there are more than `limit` jobs to look at.
  package func dependsOn(_ job: JobID, _ other: JobID, limit: Int) throws -> Bool? {
    var seen: Set<JobID> = [job]
    var open = [job]
    while let next = open.popLast() {
      for target in try targets(of: next, limit: limit) where seen.insert(target).inserted {
        if target == other { return true }
        guard seen.count <= limit else { return nil }
        open.append(target)
      }
    }
    return false
  }

  private func targets(of id: JobID, limit: Int) throws -> [JobID] {
    try statements.all(
      "SELECT on_id FROM dependency WHERE job = (SELECT number FROM job WHERE id = ?) ORDER BY on_id LIMIT ?",
      id, limit + 1)
  }
}
