import GRDB
package import JobModel

extension LedgerQueries {
  /// The newest jobs that pass the filter, newest first. A succeeded job comes without what its handler returned, as if
  /// that were empty; ``job(_:)`` has it.
  ///
  /// However many jobs there are, only those of the page are looked at; where a state has more than
  /// ``Shelf/groupLimit`` departments times kinds, those of the state.
  package func jobs(_ filter: JobFilter) throws -> [Job] {
    guard filter.limit > 0 else { return [] }
    let stretch = Stretch(before: filter.before ?? .max, isNewestFirst: true)
    let limit = min(filter.limit, JobFilter.largestPage)
    let numbers =
      if let shelves = filter.shelves {
        try shelves.flatMap { try statements.numbers(on: $0, filter.group, stretch, limit: limit) }
      } else {
        try statements.newestNumbers(before: stretch.before, limit: limit)
      }
    return try stretch.first(limit, of: numbers).map { try statements.listedJob($0) }
  }
}

extension JobFilter {
  /// Where the jobs are looked for: each state on its own shelf; nil when every job passes.
  fileprivate var shelves: [Shelf]? {
    if unsettled { return [.unsettled] }
    guard let states else { return department == nil && kind == nil ? nil : Shelf.all }
    return Set(states.map { StateCode.code(of: $0) }).sorted().map { code in
      switch code {
      case StateCode.held: .held
      case StateCode.queued: .queued
      case StateCode.failed: .failed
      case StateCode.cancelled: .cancelled
      default: .succeeded
      }
    }
  }

  fileprivate var group: Shelf.Group { Shelf.Group(department: department, kind: kind) }
}

extension Statements {
  /// The last acceptance numbers before another one.
  fileprivate func newestNumbers(before number: Int64, limit: Int) throws -> [Int64] {
    try all("SELECT number FROM job WHERE number < ? ORDER BY number DESC LIMIT ?", [number.cell, limit.cell]) {
      try $0.int64(0)
    }
  }

  /// The job of that number, without what its handler returned.
  func listedJob(_ number: Int64) throws -> Job {
    let job = try first(
      "SELECT \(JobRow.columnsWithoutResult) FROM job WHERE number = ?", [number.cell], JobRow.job)
    guard let job else { throw Damage(what: "job number \(number) is in an index only") }
    return job
  }
}
