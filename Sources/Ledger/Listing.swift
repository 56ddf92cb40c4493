import GRDB
package import JobModel

extension LedgerQueries {
  /// The newest jobs that pass the filter, newest first. A succeeded job comes without what its handler returned, as if
  /// that were empty; ``job(_:)`` has it.
  ///
  /// Held jobs and unsettled ones are found at once, however many there are. A filter by kind that asks for no states, or
  /// for others, may look at every job of these states; one of succeeded jobs at every newer job that has not succeeded.
  package func jobs(_ filter: JobFilter) throws -> [Job] {
    guard filter.limit > 0 else { return [] }
    let stretch = Stretch(before: filter.before ?? .max, isNewestFirst: true)
    let limit = min(filter.limit, JobFilter.largestPage)
    let numbers = try filter.sources.flatMap { source in
      switch source {
      case .shelf(let shelf): try statements.numbers(on: shelf, filter.group, stretch, limit: limit)
      case .table(let state): try statements.numbers(of: state, filter.group, stretch, limit: limit)
      }
    }
    return try stretch.first(limit, of: numbers).map { try statements.listedJob($0) }
  }
}

extension JobFilter {
  /// Where the jobs are looked for: each state on its own shelf. Those that succeeded have none.
  fileprivate enum Source {
    case shelf(Shelf)
    case table(state: Int64?)
  }

  fileprivate var sources: [Source] {
    if unsettled { return [.shelf(.unsettled)] }
    guard let states else { return [.table(state: nil)] }
    return Set(states.map { StateCode.code(of: $0) }).sorted().map { code in
      switch code {
      case StateCode.held: .shelf(.held)
      case StateCode.queued: .shelf(.queued)
      case StateCode.failed: .shelf(.failed)
      case StateCode.cancelled: .shelf(.cancelled)
      default: .table(state: code)
      }
    }
  }

  fileprivate var group: Shelf.Group { Shelf.Group(department: department, kind: kind) }
}

extension Statements {
  /// The first acceptance numbers of a stretch among all jobs, or all of a state.
  fileprivate func numbers(
    of state: Int64?, _ group: Shelf.Group, _ stretch: Stretch, limit: Int
  ) throws -> [Int64] {
    var conditions = ["number > ?", "number < ?"]
    var values = [stretch.after.cell, stretch.before.cell]
    if let state { conditions.append("state = \(state)") }
    if let department = group.department {
      conditions.append("department = ?")
      values.append(department.cell)
    }
    if let kind = group.kind {
      conditions.append("kind = ?")
      values.append(kind.cell)
    }
    let order = stretch.isNewestFirst ? "number DESC" : "number"
    return try all(
      "SELECT number FROM job WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT ?",
      values + [limit.cell]
    ) { try $0.int64(0) }
  }

  /// The job of that number, without what its handler returned.
  func listedJob(_ number: Int64) throws -> Job {
    let job = try first(
      "SELECT \(JobRow.columnsWithoutResult) FROM job WHERE number = ?", [number.cell], JobRow.job)
    guard let job else { throw Damage(what: "job number \(number) is in an index only") }
    return job
  }
}
