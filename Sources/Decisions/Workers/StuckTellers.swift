package import JobModel

/// The tellers that could serve a job, and those of them that cannot: their handlers were told to end, and do not.
package struct StuckTellers: Hashable, Sendable {
  package var count = 0
  /// How many tellers there are in all, stuck or not.
  package var tellers = 0
  /// The names of the workers that have stuck ones, in order.
  package var workers: [String] = []
  /// Some of the jobs whose handlers do not end.
  package var jobs: [JobID] = []

  package init() {}

  /// Whether nobody is left who would begin a job, where at most `limit` run at once.
  package func areAll(of limit: Int) -> Bool { count > 0 && count >= limit }
}

extension Roster {
  /// How many tellers of a department are stuck.
  package func stuck(of department: Department) -> Int {
    workers.values.reduce(0) { $0 + $1.stuck(in: department) }
  }

  /// The tellers of a department, and those that are stuck. `kind`: of those workers alone that serve the queue of the
  /// kind; nil: of all. `isOf`: whether a job is of the department.
  package func stuckTellers(
    of department: Department, kind: JobKind?, isOf: (ReleaseID) -> Bool
  ) -> StuckTellers {
    var all = StuckTellers()
    for (id, worker) in workers where kind.map({ handlers.serves(id, $0, in: department) }) ?? true {
      all.tellers += worker.tellers[department.name] ?? 0
      let stuck = worker.stuck(in: department)
      guard stuck > 0 else { continue }
      all.count += stuck
      all.workers.append(worker.name)
      all.jobs += worker.running.filter { $0.isStuck && isOf($0.release) }.map(\.release.job)
    }
    all.workers.sort()
    all.jobs.sort { $0.description < $1.description }
    return all
  }
}

extension Roster.Entry {
  /// A worker may have fewer tellers by now than handlers that do not end.
  fileprivate func stuck(in department: Department) -> Int {
    min(stuck[department.name] ?? 0, tellers[department.name] ?? 0)
  }
}
