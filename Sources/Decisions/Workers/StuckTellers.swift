package import JobModel

/// The tellers that take jobs, and those of them that cannot: their handlers were told to stop and have not.
package struct StuckTellers: Hashable, Sendable {
  package var count = 0
  /// How many tellers there are in all, stuck or not.
  package var tellers = 0
  /// The names of the workers that have stuck ones, in order.
  package var workers: [String] = []
  /// The jobs of the department whose handlers do not end, in all workers, and how many of them keep a place.
  package var jobs: [JobID] = []
  package var places = 0

  package init() {}

  /// Whether no teller is left that could begin a job.
  package var areAll: Bool { count > 0 && count >= tellers }
}

extension Roster {
  /// How many tellers of a department are stuck.
  package func stuck(of department: Department) -> Int {
    workers.values.reduce(0) { $0 + $1.stuck(in: department) }
  }

  /// The tellers of a department that take jobs: not those of workers that drain. `kind`: of those workers alone that
  /// serve the queue of the kind; nil: of all.
  package func stuckTellers(of department: Department, kind: JobKind? = nil) -> StuckTellers {
    var all = StuckTellers()
    for (id, worker) in workers where !worker.isDraining {
      if let kind, !handlers.serves(id, kind, in: department) { continue }
      all.tellers += worker.tellers[department.name] ?? 0
      let stuck = worker.stuck(in: department)
      if stuck > 0 { all.workers.append(worker.name) }
      all.count += stuck
    }
    all.workers.sort()
    return all
  }
}

extension Roster.Entry {
  /// A worker may have fewer tellers by now than handlers that do not end.
  fileprivate func stuck(in department: Department) -> Int {
    max(0, min(stuck[department.name] ?? 0, tellers[department.name] ?? 0))
  }
}
