import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Pauses departments, and changes the tellers of workers while they run.
struct Resizing {
  let departments: Departments
  let roster: Roster
  let staffing: WorkerStaffing
  let time: LedgerTime
  let logger: Logger

  /// Pauses or resumes a department, which must exist.
  func setPaused(_ department: Department, _ isPaused: Bool, _ turn: Turn) throws -> DepartmentPause {
    let changed = try turn.ledger.setPaused(department, isPaused)
    if isPaused { departments.close(department, for: .paused) } else { departments.open(department, from: .paused) }
    staffing.tellWorkers(of: department, turn)
    if changed {
      logger.notice(isPaused ? "paused" : "resumed", metadata: ["department": "\(department)"])
      try turn.notify(isPaused ? .paused : .resumed, in: department, about: .department(department)) { event in
        Notification(department: department, event: event, at: time.now)
      }
    }
    return DepartmentPause(department: department, isPaused: isPaused, isNew: changed)
  }

  /// Tells workers to have another number of tellers. It holds for as long as the worker's process lives, also when
  /// that is given up meanwhile and comes back. All of them are told, or none: when one cannot have so many.
  func resize(_ order: ResizeOrder, _ turn: Turn) throws -> Result<DepartmentResize, JobFailure> {
    let meant = roster.workers.filter { $1.isMeant(by: order, as: $0) }.sorted { $0.value.name < $1.value.name }
    if meant.isEmpty { return .failure(.noSuchWorker(order)) }
    if let full = meant.first(where: { $0.value.tellers(after: order) > DepartmentResize.tellerLimits.upperBound }) {
      return .failure(.tooManyTellers(full.value.name, full.value.tellers(after: order)))
    }
    var document = DepartmentResize(department: order.department, workers: [])
    for (worker, entry) in meant {
      let before = entry.tellers[order.department.name] ?? entry.wanted[order.department.name] ?? 0
      let wanted = entry.wanted.merging([order.department.name: order.tellers]) { $1 }
      try turn.ledger.setWanted(worker, wanted)
      roster.want(wanted, of: worker)
      turn.tell(.staffing(worker, staffing.orders(for: worker)))
      document.workers.append(
        DepartmentResize.Worker(id: worker, name: entry.name, before: before, tellers: order.tellers))
    }
    return .success(document)
  }
}

extension Roster.Entry {
  /// Whether it serves the department, and is the worker that is named, if one is.
  fileprivate func isMeant(by order: ResizeOrder, as worker: WorkerID) -> Bool {
    guard (tellers[order.department.name] ?? wanted[order.department.name]) != nil else { return false }
    return order.worker.map { $0.isExactly(worker.text) || $0.isExactly(name) } ?? true
  }

  /// How many tellers it would have in all departments.
  fileprivate func tellers(after order: ResizeOrder) -> Int {
    tellers.merging(wanted) { $1 }.merging([order.department.name: order.tellers]) { $1 }.values.reduce(0, +)
  }
}

extension JobFailure {
  fileprivate static func noSuchWorker(_ order: ResizeOrder) -> JobFailure {
    let named = order.worker.map { "worker \"\($0)\" does not serve" } ?? "no worker serves"
    return JobFailure(
      code: Code.noWorker, message: "\(named) department \"\(order.department)\" now; see `teller status`")
  }

  fileprivate static func tooManyTellers(_ worker: String, _ tellers: Int) -> JobFailure {
    JobFailure(
      code: Code.tooManyTellers,
      message: "worker \"\(worker)\" would have \(tellers) tellers in all its departments, and may have "
        + "\(DepartmentResize.tellerLimits.upperBound); nothing was changed")
  }
}
