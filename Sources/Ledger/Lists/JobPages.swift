package import JobModel

/// A part of the jobs that an operation is about, in the order of their acceptance.
package struct JobStep: Hashable, Sendable {
  /// The jobs of this part: never more than the limit.
  package var jobs: [Job]
  /// The acceptance number after which the next step goes on.
  package var position: Int64
  /// Nothing follows.
  package var isLast: Bool
}

extension LedgerReading {
  /// The next jobs without an outcome, by their acceptance numbers: from after `position` up to `last`. Nil means any
  /// department, any kind. A step looks at `limit` jobs at most, however many the ledger has, finished or not; where there
  /// are more than ``Shelf/groupLimit`` departments times kinds, at ``Walk/limit``, and it may find none of them.
  package func liveJobs(
    after position: Int64, upTo last: Int64, department: Department? = nil, kind: JobKind? = nil, limit: Int
  ) throws -> JobStep {
    try step(on: [.held, .queued], Shelf.Group(department: department, kind: kind), after: position, upTo: last, limit)
  }

  /// The next failed jobs that nobody has looked after, likewise. They come without their results, having none.
  package func failedJobs(
    after position: Int64, upTo last: Int64, department: Department? = nil, kind: JobKind? = nil, limit: Int
  ) throws -> JobStep {
    try step(on: [.unsettled], Shelf.Group(department: department, kind: kind), after: position, upTo: last, limit)
  }

  private func step(
    on shelves: [Shelf], _ wanted: Shelf.Group, after position: Int64, upTo last: Int64, _ limit: Int
  ) throws -> JobStep {
    let stretch = Stretch(after: position, before: last.advanced(by: last == .max ? 0 : 1), isNewestFirst: false)
    if let numbers = try statements.numbers(on: shelves, wanted, stretch, limit: limit) {
      return try step(numbers, isLast: numbers.count < limit, upTo: numbers.last, stretch)
    }
    let walk = try statements.walk(shelves, wanted, stretch, limit: limit)
    return try step(walk.numbers, isLast: walk.isAtEnd, upTo: walk.last, stretch)
  }

  private func step(_ numbers: [Int64], isLast: Bool, upTo last: Int64?, _ stretch: Stretch) throws -> JobStep {
    let jobs = try numbers.map { try statements.listedJob($0) }
    let position = isLast ? max(stretch.after, stretch.before - 1) : last ?? stretch.after
    return JobStep(jobs: jobs, position: position, isLast: isLast)
  }
}
