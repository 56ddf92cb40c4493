package import JobModel

/// Which jobs to list. Nil means any.
package struct JobFilter: Hashable, Sendable {
  package var department: Department?
  /// `running` counts as `queued`: the ledger does not know which jobs run.
  package var states: Set<JobState>?
  package var kind: JobKind?
  /// Only failed jobs that nobody has looked after. Then `states` is not heeded.
  package var unsettled: Bool
  /// Only jobs with a lower acceptance number: the last one of the page before.
  package var before: Int64?
  /// At most this many, and never more than ``largestPage``.
  package var limit: Int

  package init(
    department: Department? = nil, states: Set<JobState>? = nil, kind: JobKind? = nil, unsettled: Bool = false,
    before: Int64? = nil, limit: Int = largestPage
  ) {
    (self.department, self.states, self.kind) = (department, states, kind)
    (self.unsettled, self.before, self.limit) = (unsettled, before, limit)
  }

  package static let largestPage = 1_000
}

extension LedgerQueries {
  /// The newest jobs that pass the filter, newest first. A succeeded job comes without what its handler returned, as if
  /// that were empty; ``job(_:)`` has it.
  ///
  /// However many jobs there are, only those of the page are looked at. Where a state has more than ``Shelf/groupLimit``
  /// departments times kinds, the next ``Walk/limit`` jobs are, and all of the state only if they do not fill the page.
  package func jobs(_ filter: JobFilter) throws -> [Job] {
    guard filter.limit > 0 else { return [] }
    let stretch = Stretch(before: filter.before ?? .max, isNewestFirst: true)
    let limit = min(filter.limit, JobFilter.largestPage)
    let numbers: [Int64] =
      if let shelves = filter.shelves {
        try statements.numbers(on: shelves, filter.group, stretch, limit: limit)
          ?? statements.manyGroups(on: shelves, filter.group, stretch, limit: limit)
      } else {
        try statements.all(
          "SELECT number FROM job WHERE number < ? ORDER BY number DESC LIMIT ?", stretch.before, limit)
      }
    return try numbers.map { try statements.listedJob($0) }
  }
}

extension JobFilter {
  /// Where the jobs are looked for: each state on its own shelf; nil when every job passes.
  fileprivate var shelves: [Shelf]? {
    if unsettled { return [.unsettled] }
    guard let states else { return department == nil && kind == nil ? nil : Shelf.all }
    return Set(states.map(StateCode.code)).sorted().map { Shelf.all[Int($0)] }
  }

  fileprivate var group: Shelf.Group { Shelf.Group(department: department, kind: kind) }
}

extension Statements {
  /// The first acceptance numbers of a stretch that a group has on some shelves, one of which has too many groups.
  fileprivate func manyGroups(
    on shelves: [Shelf], _ group: Shelf.Group, _ stretch: Stretch, limit: Int
  ) throws -> [Int64] {
    let walk = try walk(shelves, group, stretch, limit: limit)
    if walk.isFull || walk.isAtEnd { return walk.numbers }
    return stretch.first(limit, of: try shelves.flatMap { try search($0, group, stretch, limit: limit) })
  }

  /// The job of that number, without what its handler returned.
  func listedJob(_ number: Int64) throws -> Job {
    let job = try first(
      "SELECT \(JobRow.columnsWithoutResult) FROM job WHERE number = ?", number, decode: JobRow.job)
    return try known(job, "job number \(number) is in an index only")
  }
}
