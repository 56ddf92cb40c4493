import JobModel
import JobTransport
import Ledger
import Logging

/// Departments that are paused, and workers whose tellers are changed while they run.
extension Bookkeeper {
  /// Pauses or resumes a department, which must exist.
  func setPaused(_ department: Department, _ isPaused: Bool) throws(LedgerError) -> PauseDocument {
    try turn { turn in
      let changed = try turn.ledger.setPaused(department, isPaused)
      self[desk: department].isPaused = isPaused
      for (worker, entry) in attendance.workers where entry.tellers[department.name] != nil {
        turn.tell(.staffing(worker, staffing(of: worker)))
      }
      if changed { logger.notice(isPaused ? "paused" : "resumed", metadata: ["department": "\(department)"]) }
      if !isPaused {
        unfilled.insert(department)
        try fill(turn)
      }
      return PauseDocument(department: department, paused: isPaused, changed: changed)
    }
  }

  /// Tells workers to have another number of tellers. It holds for as long as the worker's process lives, also when that
  /// is given up meanwhile and comes back. All of them are told, or none: when one cannot have so many.
  func resize(_ order: ResizeOrder) throws(LedgerError) -> Result<ResizeDocument, JobFailure> {
    let meant = attendance.workers.filter { $1.isMeant(by: order, as: $0) }.sorted { $0.value.name < $1.value.name }
    if meant.isEmpty { return .failure(.noSuchWorker(order)) }
    if let full = meant.first(where: { $0.value.tellers(after: order) > ResizeOrder.tellerLimits.upperBound }) {
      return .failure(.tooManyTellers(full.value.name, full.value.tellers(after: order)))
    }
    return .success(try tell(order, meant))
  }

  private func tell(
    _ order: ResizeOrder, _ workers: [(WorkerID, Attendance.Entry)]
  ) throws(LedgerError) -> ResizeDocument {
    try turn { turn in
      var document = ResizeDocument(department: order.department, workers: [])
      for (worker, entry) in workers {
        let before = entry.tellers[order.department.name] ?? entry.wanted[order.department.name] ?? 0
        var wanted = entry.wanted
        wanted[order.department.name] = order.tellers
        try turn.ledger.setWanted(worker, wanted)
        attendance.want(wanted, of: worker)
        turn.tell(.staffing(worker, staffing(of: worker)))
        document.workers.append(
          ResizeDocument.Worker(id: worker, name: entry.name, before: before, tellers: order.tellers))
      }
      return document
    }
  }

  /// What a worker is to serve.
  func staffing(of worker: WorkerID) -> Staffing {
    let paused = desks.filter { $0.value.isPaused }.keys.map(\.name).sorted()
    return Staffing(
      tellers: attendance.workers[worker]?.wanted ?? [:], paused: paused, beside: shares[worker] ?? [:])
  }

  /// What was told a worker may have been lost: it is told again until it says the same.
  func compareStaffing(_ presence: Presence, _ turn: Turn) {
    guard presence.ledger == ledger.id else { return }
    let wanted = staffing(of: presence.worker)
    let paused = wanted.paused.filter { presence.tellers[$0] != nil }
    let isPaused = Set(paused) == Set(presence.paused)
    let isStaffed = wanted.tellers.allSatisfy { presence.tellers[$0.key] == $0.value }
    if !isPaused || !isStaffed || presence.beside != wanted.beside {
      turn.tell(.staffing(presence.worker, wanted))
    }
  }
}

extension Attendance.Entry {
  /// Whether it serves the department, and is the worker that is named, if one is.
  fileprivate func isMeant(by order: ResizeOrder, as worker: WorkerID) -> Bool {
    guard (tellers[order.department.name] ?? wanted[order.department.name]) != nil else { return false }
    return order.worker == nil || order.worker == worker.text || order.worker == name
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
      code: "no_worker", message: "\(named) department \"\(order.department)\" now; see `teller status`")
  }

  fileprivate static func tooManyTellers(_ worker: String, _ tellers: Int) -> JobFailure {
    JobFailure(
      code: "too_many_tellers",
      message: "worker \"\(worker)\" would have \(tellers) tellers in all its departments, and may have "
        + "\(ResizeOrder.tellerLimits.upperBound); nothing was changed")
  }
}
