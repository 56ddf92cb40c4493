import Decisions
import JobModel
import Ledger

/// Tells workers how many tellers to have, how many jobs to take ahead, which departments are paused, how many tellers serve
/// the queues of kinds, and whether to drain.
struct WorkerStaffing {
  let departments: Departments
  let roster: Roster
  let releases: Releases
  let ledger: LedgerID

  /// The orders for a worker: its tellers, the jobs that it takes ahead, the paused departments, and the queues of kinds that
  /// it serves.
  func orders(for worker: WorkerID) -> Staffing {
    let entry = roster.workers[worker]
    let paused = departments.books.filter { $0.value.isPaused }.keys.map(\.name).sorted()
    return Staffing(
      tellers: entry?.wanted ?? [:], paused: paused, beside: entry?.share ?? [:], ahead: departments.ahead,
      isToDrain: entry?.isToDrain ?? false)
  }

  /// The orders may have been lost on their way: the worker is told again until it says the same.
  func compare(_ presence: Presence, _ turn: Turn) {
    guard presence.ledger == ledger else { return }
    let wanted = orders(for: presence.worker)
    let paused = wanted.paused.filter { presence.tellers[$0] != nil }
    let isPaused = Set(paused) == Set(presence.paused)
    let isStaffed = wanted.tellers.allSatisfy { presence.tellers[$0.key] == $0.value }
    let isDrained = !wanted.isToDrain || presence.isDraining
    let isAhead = presence.ahead == wanted.ahead.filter { presence.tellers[$0.key] != nil }
    guard isPaused, isStaffed, isAhead, isDrained, presence.beside == wanted.beside else {
      return turn.tell(.staffing(presence.worker, wanted))
    }
  }

  /// Every worker of a department is told.
  func tellWorkers(of department: Department, _ turn: Turn) {
    for (worker, entry) in roster.workers where entry.tellers[department.name] != nil {
      turn.tell(.staffing(worker, orders(for: worker)))
    }
  }
}

// MARK: - Sharing

extension WorkerStaffing {
  /// Shares the workers' tellers out among the queues of their departments.
  func shareOut(_ turn: Turn) {
    let messages = releases.counts(of: Set(departments.kindQueues.all.map(\.department)))
    // How many workers of each department had their share before. Each worker begins one queue further: else all
    // workers with too few tellers would leave the same queue at once.
    var turns: [Department: Int] = [:]
    for worker in roster.workers.keys.sorted(by: { $0.text < $1.text }) {
      let share = shares(of: worker, messages, &turns)
      if roster.share(share, to: worker) { turn.tell(.staffing(worker, orders(for: worker))) }
    }
  }

  private func shares(
    of worker: WorkerID, _ messages: [JobQueue: Int], _ turns: inout [Department: Int]
  ) -> [String: [JobKind: Int]] {
    var shared: [String: [JobKind: Int]] = [:]
    for (name, tellers) in roster.workers[worker]?.tellers ?? [:] {
      guard let department = Department(name) else { continue }
      let queues = kindQueues(of: worker, in: department)
      let beside = queues.reduce(into: [JobKind: Int]()) { counts, queue in
        if let kind = queue.kind { counts[kind] = messages[queue] ?? 0 }
      }
      let shares = TellerShares.shares(
        of: tellers, jobs: messages[JobQueue(department)] ?? 0, beside: beside,
        turn: departments.kindQueues.turn + turns[department, default: 0])
      if !queues.isEmpty { turns[department, default: 0] += 1 }
      if !shares.isEmpty { shared[name] = shares }
    }
    return shared
  }

  /// The queues of kinds that the worker can serve.
  private func kindQueues(of worker: WorkerID, in department: Department) -> [JobQueue] {
    departments.kindQueues.all.filter { queue in
      queue.department == department && !departments.kindQueues.isClosing(queue)
        && queue.kind.map { roster.handlers.serves(worker, $0, in: department) } == true
    }
  }

  /// Removes the queues of kinds that have had nothing to do for a while. A release that is still in such a queue loses
  /// its message. This is recorded first: a coordinator that starts later publishes the release again.
  func closeIdleQueues(at now: Duration, _ turn: Turn) throws {
    let messages = releases.counts(of: Set(departments.kindQueues.all.map(\.department)))
    let idle = roster.idle(departments.kindQueues.all) { messages[$0] != nil }
    for queue in departments.kindQueues.close(idle: idle, at: now) {
      let left = releases.jobs(in: queue)
      try turn.ledger.markUnconfirmed(left.map(\.number))
      releases.unconfirm(left, isReturned: true)
      turn.tell(.removeQueue(queue))
    }
  }
}
