import JobModel
import JobTransport
import Ledger

extension Bookkeeper {
  /// How the whole stands, from memory alone.
  func status(broker: BrokerState, at now: Duration) -> StatusDocument {
    StatusDocument(
      ledger: ledger.id, epoch: epoch,
      coordinator: CoordinatorStatus(
        startedAt: startedAt, version: CoordinatorService.version, ignoredReports: ignoredReports,
        notAllowed: notAllowed),
      broker: BrokerStatus(state: broker), departments: departmentStatuses(), workers: workerStatuses(at: now),
      operations: chores.operations.map(OperationDocument.init))
  }

  private func departmentStatuses() -> [DepartmentStatus] {
    var running: [Department: Int] = [:]
    for job in released.values where job.progress.visibleState == .running { running[job.department, default: 0] += 1 }
    return desks.sorted { $0.key < $1.key }.map { department, desk in
      let busy = running[department] ?? 0
      return DepartmentStatus(
        name: department, ordered: desk.isOrdered, paused: desk.isPaused, window: desk.window.limit, cap: desk.cap,
        tellers: tellers(of: department), held: desk.heldCount, delayed: desk.delayed, dependent: desk.dependent,
        suspects: desk.suspects > 0 ? desk.suspects : nil, void: desk.void, queued: desk.releasedCount - busy,
        running: busy,
        succeeded: desk.finished[.succeeded] ?? 0, failed: desk.finished[.failed] ?? 0,
        cancelled: desk.finished[.cancelled] ?? 0)
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
