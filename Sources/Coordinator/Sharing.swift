import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Queues beside those of departments, and the tellers that serve them.
extension Bookkeeper {
  /// Into which queue a release goes, as its kind is known now.
  func setQueue(
    of job: inout LiveJob, _ turn: Turn
  ) throws {
    job.isBeside = route(of: job.kind, in: job.department) == .kind
    if job.isBeside { try makeKindQueue(for: job.kind, in: job.department, turn) }
  }

  /// Has the queue of a kind made, if there is none; to be called before anything is released to it.
  func makeKindQueue(
    for kind: JobKind, in department: Department, _ turn: Turn
  ) throws {
    let queue = JobQueue(department, kind: kind)
    let isServed = shares.values.contains { ($0[department.name]?[kind] ?? 0) > 0 }
    guard kindQueues.use(queue, isServed: isServed) else { return }
    try turn.ledger.addKindQueue(queue)
    turn.tell(.makeQueue(queue))
    let names = handlers.names(for: kind, in: department)
    logger.notice(
      "not all workers have a handler for a kind: its jobs have a queue of their own until all have, or none",
      metadata: [
        "department": "\(department)", "kind": "\(kind)",
        "with": "\(names.knowing.prefix(HandlerStatus.nameLimit).joined(separator: ","))",
        "without": "\(names.lacking.prefix(HandlerStatus.nameLimit).joined(separator: ","))",
      ])
  }

  /// Shares the workers' tellers out among the queues of their departments, and removes queues that have had nothing to
  /// do for a while. Costs nothing while every worker knows every kind.
  func shareTellers(at now: Duration) throws(LedgerError) {
    guard !isQuiet, kindQueues.isSharingDue(at: now) else { return }
    let jobs = jobsByQueue
    try turn { turn in
      var turns: [Department: Int] = [:]
      for worker in attendance.workers.keys.sorted(by: { $0.text < $1.text }) {
        share(worker, jobs, &turns, turn)
      }
      for queue in kindQueues.close(idle: idleQueues(jobs), at: now) { try close(queue, turn) }
    }
  }

  /// How many jobs are released to each queue of a department that has one beside it.
  private var jobsByQueue: [JobQueue: Int] {
    let departments = Set(kindQueues.all.map(\.department))
    var jobs: [JobQueue: Int] = [:]
    for job in released.values where departments.contains(job.department) && job.adoptedBy == nil {
      jobs[job.queue, default: 0] += 1
    }
    return jobs
  }

  /// `turns`: how many workers of each department had their share before. Each begins one further, or all that have too
  /// few tellers would leave a queue at once.
  private func share(
    _ worker: WorkerID, _ jobs: [JobQueue: Int], _ turns: inout [Department: Int], _ turn: Turn
  ) {
    guard let entry = attendance.workers[worker] else { return }
    var shared: [String: [JobKind: Int]] = [:]
    for (name, tellers) in entry.tellers {
      guard let department = Department(name) else { continue }
      let kinds = kindQueues.all.filter { queue in
        queue.department == department && !kindQueues.isClosing(queue)
          && queue.kind.map { handlers.serves(worker, $0, in: department) } == true
      }
      let beside = kinds.reduce(into: [JobKind: Int]()) { counts, queue in
        if let kind = queue.kind { counts[kind] = jobs[queue] ?? 0 }
      }
      let shares = TellerShares.shares(
        of: tellers, jobs: jobs[JobQueue(department)] ?? 0, beside: beside,
        turn: kindQueues.turn + turns[department, default: 0])
      if !kinds.isEmpty { turns[department, default: 0] += 1 }
      if !shares.isEmpty { shared[name] = shares }
    }
    guard shared != shares[worker] ?? [:] else { return }
    shares[worker] = shared.isEmpty ? nil : shared
    turn.tell(.staffing(worker, staffing(of: worker)))
  }

  /// Nothing is in them, and no worker consumes them; or there is something that no worker can run.
  private func idleQueues(_ jobs: [JobQueue: Int]) -> Set<JobQueue> {
    let void = Set(voidPlaces.values.map(\.queue))
    return Set(
      kindQueues.all.filter { queue in
        guard let kind = queue.kind else { return false }
        if handlers.route(of: kind, in: queue.department) == .nowhere { return true }
        let isServed = attendance.workers.values.contains { $0.beside[queue.department.name]?[kind] != nil }
        return jobs[queue] == nil && !void.contains(queue) && !isServed
          && !shares.values.contains { $0[queue.department.name]?[kind] != nil }
      })
  }

  /// Has a queue removed. What is in it is no message any more then, and is looked for: recorded first, so that a
  /// coordinator that dies in between publishes it again.
  private func close(
    _ queue: JobQueue, _ turn: Turn
  ) throws {
    let left = released.values.filter { $0.queue == queue && $0.adoptedBy == nil }
    try turn.ledger.markUnconfirmed(left.map(\.number))
    for job in left {
      released[job.id]?.isConfirmed = false
      released[job.id]?.isReturned = true
    }
    let releases = Set(left.map(\.release))
    marks.confirmed.removeAll { releases.contains($0) }
    turn.tell(.removeQueue(queue))
  }

  /// The broker has removed it, with its messages: whatever was in it is released again, or held if nobody can run it.
  func kindQueueIsGone(_ queue: JobQueue) throws(LedgerError) {
    try turn { turn in
      try turn.ledger.removeKindQueue(queue)
      kindQueues.removed(queue)
      freshest[queue] = nil
      let live = released.values.filter { $0.queue == queue && $0.adoptedBy == nil }.map(\.release)
      let void = voidPlaces.filter { $0.value.queue == queue }.map(\.key)
      for release in live + void {
        voids.messageGone(release)
        try carryOut(claims.claimForCoordinator(release), turn)
      }
      try carryOut(claims.flush(), turn)
      guard self[desk: queue.department].unserved > 0 else { return }
      // The others have larger parts of the window now.
      unfilled.insert(queue.department)
      chores.lookForHandlers(of: queue.kind, in: queue.department)
    }
  }
}
