import DequeModule
import JobModel
import Ledger
import Logging

extension Bookkeeper {
  /// Reads from the ledger all that the memory holds: at the start, and after a turn that could not be recorded.
  func reload() throws(LedgerError) {
    desks = configuration.departments.mapValues { Desk(isOrdered: $0.isOrdered, window: $0.window) }
    released = [:]
    marks = Marks()
    waits = Waits()
    try ledger.write { transaction in
      for (department, desk) in desks where desk.isOrdered { try transaction.giveOrder(in: department) }
      for job in try transaction.released() { take(job) }
      for (department, levels) in try transaction.heldCounts() {
        for (level, count) in levels.enumerated() {
          if let priority = Priority(level) { self[desk: department].hold(priority, count: count) }
        }
      }
      for (department, states) in try transaction.counts() {
        for (state, count) in states where state.isFinal { self[desk: department].finish(state, count: count) }
      }
      unsent = Deque(try transaction.unsent(limit: Bookkeeper.unsentLimit))
      hasUnsentInLedger = unsent.count == Bookkeeper.unsentLimit
    }
    failure = nil
    unfilled = Set(desks.keys)
    warnOfStrandedJobs()
  }

  /// Jobs of a department that is no longer in the configuration wait for it to come back: nobody may wait in silence.
  private func warnOfStrandedJobs() {
    for (department, desk) in desks where configuration.departments[department] == nil {
      let count = desk.heldCount + desk.releasedCount
      guard count > 0 else { continue }
      logger.warning(
        "jobs wait for a department that is not in the configuration: name it again",
        metadata: ["department": "\(department)", "jobs": "\(count)"])
    }
  }

  /// Begins to serve on a new connection: whatever was under way between coordinator and workers starts over, and every
  /// release that is not known to be in its queue is published again, to be claimed.
  func beginSession(_ outbox: Outbox, _ unsentArrived: Signal, at now: Duration) throws(LedgerError) {
    (self.outbox, self.unsentArrived) = (outbox, unsentArrived)
    try turn { transaction, outgoing in
      claims = Claims(firstNumber: try transaction.nextIncarnation() << Bookkeeper.probeNumberBits)
      attendance.begin(at: now)
      for worker in try transaction.welcomedWorkers() {
        claims.welcome(worker.id)
        attendance.expect(worker, at: now)
      }
      for job in released.values.filter({ !$0.isConfirmed }).sorted(by: { $0.number < $1.number }) {
        guard let content = try transaction.content(of: job.number) else { continue }
        outgoing.append(.assignment(job.assignment(of: ledger.id, content, mustClaim: true)))
      }
      try fill(transaction, &outgoing)
    }
  }

  /// Probe numbers of one incarnation; those of a later one are all higher.
  static let probeNumberBits = 32
  /// The most notifications that are read from the ledger at once.
  static let unsentLimit = 10_000

  /// A department's desk. One that is no longer configured keeps its jobs, but gets none released.
  subscript(desk department: Department) -> Desk {
    get { desks[department] ?? Desk(isOrdered: false, window: 0) }
    set { desks[department] = newValue }
  }

  private func take(_ record: ReleasedJob) {
    let job = record.job
    let slot = self[desk: job.department].countReleased(job.priority)
    var released = LiveJob(
      number: job.number, id: job.id, kind: job.kind, department: job.department, priority: job.priority, slot: slot,
      plan: job.plan, progress: job.progress, reply: job.reply, releasedAt: job.releasedAt ?? job.acceptedAt)
    released.isConfirmed = record.isConfirmed
    self.released[job.id] = released
  }
}
