package import JobModel

/// A page of jobs, the newest first.
package struct JobList: Hashable, Sendable {
  package var jobs: [Job]
  /// The ``JobFilter/before`` of the next page; nil: nothing follows.
  package var next: Int64?
}

extension LedgerQueries {
  /// The newest jobs that pass the filter, newest first. A succeeded job comes without what its handler returned, as if
  /// that were empty; ``job(_:)`` has it.
  ///
  /// However many jobs there are, only those of the page are looked at. Where a state has more than ``Shelf/groupLimit``
  /// departments times kinds, the next ``Walk/limit`` jobs are, and all of the state only if they do not fill the page.
  ///
  /// No index has the error codes, and the indexes of plans and of keys have nothing else. So with one of these three
  /// filters a page ends after ``Look/limit`` jobs whose rows are looked at, also when fewer jobs pass than `limit`.
  package func jobs(_ filter: JobFilter) throws -> JobList {
    let limit = min(filter.limit, JobFilter.largestPage)
    let stretch = try statements.stretch(of: filter)
    guard limit > 0, stretch.after < stretch.before else { return JobList(jobs: [], next: nil) }
    if let look = try statements.look(for: filter, stretch) { return try statements.list(look, filter, limit) }
    let numbers: [Int64] =
      if let shelves = filter.shelves {
        try statements.numbers(on: shelves, filter.group, stretch, limit: limit)
          ?? statements.manyGroups(on: shelves, filter.group, stretch, limit: limit)
      } else {
        try statements.all(
          "SELECT number FROM job WHERE number > ? AND number < ? ORDER BY number DESC LIMIT ?",
          stretch.after, stretch.before, limit)
      }
    return JobList(
      jobs: try numbers.map { try statements.listedJob($0) }, next: numbers.count == limit ? numbers.last : nil)
  }
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

  /// The jobs of a look that pass the filter.
  fileprivate func list(_ look: Look, _ filter: JobFilter, _ limit: Int) throws -> JobList {
    let test = RowTest(filter)
    var list = JobList(jobs: [], next: look.next)
    for number in look.numbers where try passes(test, number) {
      list.jobs.append(try listedJob(number))
      if list.jobs.count == limit { return JobList(jobs: list.jobs, next: number) }
    }
    return list
  }

  /// The job of that number, without what its handler returned.
  func listedJob(_ number: Int64) throws -> Job {
    let job = try first(
      "SELECT \(JobRow.columnsWithoutResult) FROM job WHERE number = ?", number, decode: JobRow.job)
    return try known(job, "job number \(number) is in an index only")
  }
}
