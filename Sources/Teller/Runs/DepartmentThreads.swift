import JobModel

/// The threads of the handlers, by department: handlers that block all threads of one department delay no other one.
struct DepartmentThreads: Sendable {
  /// The most threads of a worker's handlers, in all departments together; each department has at least one.
  static let most = 512

  private let pools: [Department: HandlerThreads]
  /// For a department without tellers, of which no job comes.
  private let spare = HandlerThreads(most: 1, tellers: 1)

  init(_ tellers: [Department: Int]) {
    let share = max(1, min(HandlerThreads.most, DepartmentThreads.most / max(1, tellers.count)))
    pools = tellers.mapValues { HandlerThreads(most: share, tellers: $0) }
  }

  subscript(department: Department) -> HandlerThreads { pools[department] ?? spare }

  /// Raises the limits to the given numbers of tellers.
  func grow(_ tellers: [Department: Int]) {
    for (department, count) in tellers { pools[department]?.grow(tellers: count) }
  }

  /// The departments for whose handlers no thread could be started.
  var shortages: [Department: HandlerThreads.Shortage] { pools.compactMapValues(\.shortage) }

  /// Tries again to start the threads that are missing.
  func tryAgain() { for pool in pools.values { pool.tryAgain() } }

  /// Wakes threads once for all jobs that the body enqueues: see ``HandlerThreads/gather(_:)``. The body must be short.
  func gathering(_ body: () -> Void) {
    for pool in pools.values { pool.gather(true) }
    body()
    for pool in pools.values { pool.gather(false) }
  }

  /// Ends the threads, each after its jobs.
  func close() {
    for pool in pools.values { pool.close() }
    spare.close()
  }
}
