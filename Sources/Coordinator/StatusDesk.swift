import Decisions
import JobModel
import JobTransport
import Ledger

extension Bookkeeper {
  /// How the whole stands: from memory, but for the kinds of jobs that are held for a handler.
  func status(broker: BrokerState, at now: Duration) async throws(LedgerError) -> StatusDocument {
    let handlers = try await handlerStatuses()
    return status(broker: broker, handlers, at: now)
  }

  private func status(broker: BrokerState, _ handlers: [HandlerStatus], at now: Duration) -> StatusDocument {
    StatusDocument(
      ledger: ledger.id, epoch: epoch,
      coordinator: CoordinatorStatus(
        startedAt: clock.wallTime(of: clock.time(at: began)), version: CoordinatorService.version,
        ignoredReports: ignoredReports, notAllowed: notAllowed),
      broker: BrokerStatus(state: broker), departments: departmentStatuses(), workers: workerStatuses(at: now),
      handlers: handlers,
      operations: chores.operations.map { OperationDocument(clock.shown($0)) })
  }

  private func departmentStatuses() -> [DepartmentStatus] {
    var running: [Department: Int] = [:]
    for job in released.values where job.progress.visibleState == .running { running[job.department, default: 0] += 1 }
    return desks.sorted { $0.key < $1.key }.map { department, desk in
      let busy = running[department] ?? 0
      return DepartmentStatus(
        name: department, ordered: desk.isOrdered, paused: desk.isPaused, window: desk.window.limit, cap: desk.cap,
        tellers: tellers(of: department), held: desk.heldCount, delayed: desk.delayed, dependent: desk.dependent,
        unserved: desk.unserved, suspects: desk.suspects,
        void: desk.void, queued: desk.releasedCount - busy, running: busy,
        succeeded: desk.finished[.succeeded] ?? 0, failed: desk.finished[.failed] ?? 0,
        cancelled: desk.finished[.cancelled] ?? 0)
    }
  }

  /// The kinds whose jobs wait for a handler, and those whose jobs have a queue of their own.
  private func handlerStatuses() async throws(LedgerError) -> [HandlerStatus] {
    var jobs = kindQueues.all.reduce(into: [JobQueue: Int]()) { $0[$1] = 0 }
    if !jobs.isEmpty { for job in released.values where job.isBeside { jobs[job.queue, default: 0] += 1 } }
    let departments = desks.filter { $0.value.unserved > 0 }.keys.sorted()
    if !departments.isEmpty {
      let held = try await ledger.read { try $0.withheldCounts(.handler, in: departments, limit: HandlerStatus.limit) }
      jobs.merge(held) { $0 + $1 }
    }
    return jobs.filter { $0.value > 0 }.keys.sorted().prefix(HandlerStatus.limit).compactMap { queue in
      guard let kind = queue.kind else { return nil }
      let names = handlers.names(for: kind, in: queue.department)
      return HandlerStatus(
        department: queue.department, kind: kind, jobs: jobs[queue] ?? 0, with: names.knowing, without: names.lacking,
        suggestion: names.knowing.isEmpty ? handlers.suggestion(for: kind, in: queue.department) : nil)
    }
  }

  func tellers(of department: Department) -> Int {
    attendance.workers.values.reduce(0) { $0 + ($1.tellers[department.name] ?? 0) }
  }

  private func workerStatuses(at now: Duration) -> [WorkerStatus] {
    attendance.workers.sorted { $0.value.name < $1.value.name }.map { id, worker in
      WorkerStatus(
        id: id, name: worker.name, tellers: worker.tellers, paused: worker.paused, running: worker.running.count,
        stuck: worker.running.filter(\.isStuck).map(\.release.job),
        lastSeenMs: (now - (worker.lastSeen ?? .zero)).milliseconds)
    }
  }
}
