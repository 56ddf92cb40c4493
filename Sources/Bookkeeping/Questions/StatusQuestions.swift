import Decisions
package import JobModel
package import Ledger

extension Bookkeeper {
  /// The answer about a department of which there is nothing: neither the configuration nor a job names it. Nil: there is.
  package func unknownDepartment(_ department: Department) -> JobFailure? {
    parts.departments.has(department) ? nil : configuration.unknownDepartment(department)
  }

  /// How the whole stands: from memory, but for the kinds of jobs that are held for a handler, and the jobs that were held
  /// first.
  package func status(broker: BrokerState, at now: Duration) async throws(LedgerError) -> TellerStatus {
    let handlers = try await handlerStatuses()
    let waits = try await departmentWaits()
    let clock = parts.time.clock
    return TellerStatus(
      ledger: ledger.id, epoch: parts.epoch.number, coordinator: coordinatorStatus,
      broker: BrokerStatus(state: broker), departments: departmentStatuses(waits, at: now),
      workers: workerStatuses(at: now),
      handlers: handlers,
      operations: parts.operations.list.map { JobOperation($0, by: clock) })
  }

  var coordinatorStatus: CoordinatorStatus {
    let clock = parts.time.clock
    return CoordinatorStatus(
      startedAt: clock.wallTime(of: clock.time(at: parts.time.began)), version: CoordinatorConfiguration.version,
      ignoredReports: parts.refusals.ignoredReports, notAllowed: parts.refusals.notAllowed,
      deadLetters: parts.deadLetters.list)
  }

  /// What only the ledger knows of the jobs that wait.
  struct DepartmentWaits {
    var oldest: [Department: Duration]
    var retries: [Department: RetryTally]
  }

  func departmentWaits() async throws(LedgerError) -> DepartmentWaits {
    let oldest = try await oldestWaiting()
    let isRetrying = parts.departments.books.values.contains { $0.retrying > 0 }
    return DepartmentWaits(oldest: oldest, retries: isRetrying ? try await ledger.read { try $0.nextRetries() } : [:])
  }

  func departmentStatuses(_ waits: DepartmentWaits, at now: Duration) -> [DepartmentStatus] {
    let running = parts.releases.live.running
    return parts.departments.books.sorted { $0.key < $1.key }.map { department, books in
      let busy = running[department] ?? 0
      let recent = parts.recent.counts(of: department, at: now)
      return DepartmentStatus(
        department: department, isConfigured: !books.closures.contains(.unconfigured), isOrdered: books.isOrdered,
        isPaused: books.isPaused, gates: books.gates,
        window: books.window.limit,
        cap: books.cap, ahead: books.ahead > 0 ? books.ahead : nil,
        refused: parts.brokerQueues.refused.reasons[department],
        tellers: parts.roster.tellers(of: department), stuckTellers: parts.roster.stuck(of: department),
        held: books.heldCount, delayed: books.delayed,
        restored: books.restored,
        retrying: books.retrying, nextRetry: books.retrying > 0 ? waits.retries[department].map(nextRetry) : nil,
        dependent: books.dependent, unserved: books.unserved, suspects: books.suspects, void: books.void,
        queued: books.releasedCount - busy, running: busy,
        succeeded: books.finished[.succeeded] ?? 0, failed: books.finished[.failed] ?? 0,
        unsettled: books.unsettled,
        cancelled: books.finished[.cancelled] ?? 0, acceptedLastMinute: recent.accepted, endedLastMinute: recent.ended,
        oldestWaiting: waits.oldest[department])
    }
  }

  private func nextRetry(_ tally: RetryTally) -> NextRetry {
    NextRetry(
      at: parts.time.clock.wallTime(of: tally.next),
      error: tally.mostFrequent?.shortened(to: JobRecord.longestLineMessage))
  }

  /// The kinds whose jobs wait for a handler, and those whose jobs have a queue of their own.
  private func handlerStatuses() async throws(LedgerError) -> [HandlerStatus] {
    var jobs = parts.departments.kindQueues.all.reduce(into: [JobQueue: Int]()) { $0[$1] = 0 }
    if !jobs.isEmpty {
      for job in parts.releases.live.values where job.place.isBeside { jobs[job.queue, default: 0] += 1 }
    }
    let departments = parts.departments.books.filter { $0.value.unserved > 0 }.keys.sorted()
    if !departments.isEmpty {
      let held = try await ledger.read { try $0.withheldCounts(.handler, in: departments, limit: HandlerStatus.limit) }
      jobs.merge(held) { $0 + $1 }
    }
    return jobs.filter { $0.value > 0 }.keys.sorted().prefix(HandlerStatus.limit).compactMap { queue in
      guard let kind = queue.kind else { return nil }
      let names = parts.roster.handlers.names(for: kind, in: queue.department)
      return HandlerStatus(
        department: queue.department, kind: kind, jobs: jobs[queue] ?? 0, with: names.knowing, without: names.lacking,
        suggestion: names.knowing.isEmpty ? parts.roster.handlers.suggestion(for: kind, in: queue.department) : nil)
    }
  }

  private func workerStatuses(at now: Duration) -> [WorkerStatus] {
    parts.roster.workers.sorted { $0.value.name < $1.value.name }.map { workerStatus($0, $1, at: now) }
  }

  func workerStatus(_ id: WorkerID, _ worker: Roster.Entry, at now: Duration) -> WorkerStatus {
    WorkerStatus(
      id: id, name: worker.name, tellers: worker.tellers, paused: worker.paused, running: worker.running.count,
      inHand: worker.waiting.count, stuck: worker.running.filter(\.isStuck).map(\.release.job),
      isDraining: worker.isDraining, isToldToDrain: worker.isToDrain,
      lastSeenMs: parts.roster.silence(of: id, at: now).milliseconds)
  }
}
